"""Reports: what a run found, in words, lines, diffs and JSON."""
