"""Migration: one change over many repositories, with evidence, on branches of their own."""
