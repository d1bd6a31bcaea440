"""Ratings: a number for every agent, fitted to who beat whom."""
