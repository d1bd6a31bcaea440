"""Ratings: a number for every agent, fitted to wins and losses."""
