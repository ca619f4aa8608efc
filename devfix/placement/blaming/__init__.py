"""What to blame for a mismatch, and how to say it."""
