"""Moving a value as something beside it moves."""
