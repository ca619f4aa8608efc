"""Moving and registering modules, and what must not be done before they move."""
