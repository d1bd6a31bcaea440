"""Voting rules: tasks, games, judges or people as voters."""
