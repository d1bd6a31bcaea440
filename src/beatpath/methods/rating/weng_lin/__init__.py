"""Weng and Lin: ratings with their own uncertainty, battle by battle in closed form."""
