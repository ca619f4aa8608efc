"""Which expression names the wanted device at a place, provably."""
