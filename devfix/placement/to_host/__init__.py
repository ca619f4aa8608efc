"""Bringing to the host what only the CPU's memory can hold."""
