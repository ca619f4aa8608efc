"""The text of a program: what its syntax trees tell without being run."""
