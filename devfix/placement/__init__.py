"""Placement: where a fix goes, and with which device expression.

Rules say what is wrong; this package knows how a careful person would put it right: at the
factory call, where the batch is unpacked, where the value is made, or at the use, whichever comes
first and can be proved.
"""
