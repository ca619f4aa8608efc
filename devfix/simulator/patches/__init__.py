"""Patches: what torch's Python names answer on the simulated machine. Each module has one ``install``."""
