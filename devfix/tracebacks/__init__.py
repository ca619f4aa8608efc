"""Tracebacks: what a pasted error says, which operand is to blame, and the fix.

From the text up: ``paste`` cleans it, ``reader`` finds the errors in it, ``texts`` is the table of what
PyTorch says, ``blame`` points at the operand, ``repair`` asks the analysis and the codemods, ``rendering``
tells it. Nothing of the user's is executed.
"""
