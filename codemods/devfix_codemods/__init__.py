"""The rules devfix ships: one module a rule, found by being here."""
