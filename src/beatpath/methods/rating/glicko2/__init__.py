"""Glicko-2: ratings with their own uncertainty and volatility, period by period."""
