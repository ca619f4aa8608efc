"""Every rule as a command of LibCST's own codemod tool; ``docs/rule-packs.md`` shows how to call them.

``devfix.libcst_commands.rules`` has a class for each installed rule, as ``python -m libcst.tool codemod`` and
``python -m libcst.tool list`` look for them.
"""
