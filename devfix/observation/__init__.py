"""Observation: what a run on the simulated (or a real) accelerator showed, read and gathered."""
