"""The language server: a door like the command line, for editors.

``server`` speaks the protocol and never analyses: the work is done in a process of its own (``workbench``,
reached through ``worker``), so that nobody waits while typing.
"""
