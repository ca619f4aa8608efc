"""Loading: datasets, loaders, batches, and functions that move them."""
