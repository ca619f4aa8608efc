"""Proof: the user's program before and after the fixes, run in sandboxes, and the verdict on them."""
