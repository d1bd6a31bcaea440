"""Soft cores: differentiable top cycle and uncovered set, dense and sparse (STE)."""
