"""What devfix knows of torch and its neighbours: tables, and handlers for what no table can say.

A test holds the names in the tables against an installed torch.
"""
