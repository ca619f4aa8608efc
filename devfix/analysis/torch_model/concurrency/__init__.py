"""Concurrency: processes and threads, and what may use the accelerator in them."""
