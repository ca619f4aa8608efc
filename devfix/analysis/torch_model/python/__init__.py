"""Python's built-ins and standard library, as far as values pass through them."""
