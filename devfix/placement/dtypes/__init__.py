"""Giving an operand the dtype that an operation wants."""
