"""Ranking: one method or many, on counts or on estimated win rates, and how stable the rankings are."""
