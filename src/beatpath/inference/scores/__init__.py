"""Scores: what a leaderboard shows, one number an agent, by estimand."""
