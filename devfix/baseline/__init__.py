"""Baseline: findings that are known, and neither reported nor fixed."""
