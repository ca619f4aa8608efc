"""What the text around a place tells: names, order, and what stays as it was."""
