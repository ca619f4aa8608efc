"""Usage: what is asked of a command that it cannot do."""


class UsageError(Exception):
    """Options that do not go together, or name what does not exist."""
