"""Elo: ratings moved battle by battle."""
