"""Reuse: what was found out earlier, in this run, by another process or in a former version, and still holds."""
