"""Moving what loaders yield, once, where it gets its name; and nothing in their workers."""
