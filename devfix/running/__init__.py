"""Running: the user's program, run once with an accelerator that may not be there, and what that showed."""
