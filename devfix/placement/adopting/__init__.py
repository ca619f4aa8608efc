"""A program that chooses no device: where it does, and where its models move."""
