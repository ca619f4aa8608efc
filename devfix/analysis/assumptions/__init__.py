"""Assumptions: what is taken for granted, or for unknown, where it depends on who runs a program and how."""
