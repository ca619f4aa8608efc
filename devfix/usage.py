"""Usage: what is asked of a command that it cannot do."""


class CommandError(Exception):
    """What ends a command with its message and no traceback."""


class UsageError(CommandError):
    """Options that do not go together, or name what does not exist."""
