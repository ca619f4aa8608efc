"""Training: optimizers, gradients, scaling, averages, and what is saved and loaded."""
