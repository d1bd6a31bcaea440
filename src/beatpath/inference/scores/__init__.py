"""Scores: what a leaderboard shows, one number per agent, by estimand."""
