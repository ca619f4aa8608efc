"""The record: what a run writes down for rules, fixes and editors."""
