"""Calibration: whether stated probabilities come true, and prediction of what was held out."""
