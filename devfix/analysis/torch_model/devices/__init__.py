"""Devices and modes: which device and dtype a program chooses, and in which mode it computes."""
