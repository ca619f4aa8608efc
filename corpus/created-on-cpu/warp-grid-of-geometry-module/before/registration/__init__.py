"""Learned registration of small images."""
