"""Handing a device on: to functions, classes and calls that make tensors and are not told where."""
