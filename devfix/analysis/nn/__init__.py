"""``nn.Module`` objects: what is registered in them, and where they are."""
