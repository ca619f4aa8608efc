"""The domain: abstract values, the states that hold them, and what two of either have in common."""
