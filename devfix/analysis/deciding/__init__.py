"""Deciding: which way a test comes out, what it teaches, and what holds where nobody decides it."""
