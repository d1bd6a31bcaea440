"""Voting rules, with tasks, games, judges or people as voters."""
