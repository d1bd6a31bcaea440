"""Ranking: one method or many on evidence, on what was counted or on what was estimated from it, and how stable it is."""
