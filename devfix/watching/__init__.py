"""Watching: a check that is made again whenever something that it depends on has changed."""
