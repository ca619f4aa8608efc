"""The language: what Python's statements and expressions do with abstract values, and how objects work."""
