"""Sandbox: running the user's code in a child, in a copy of its folder, within limits, leaving nothing behind.

It guards against programs that are broken, not against ones that mean harm.
"""
