"""Ranking and rating methods: pure functions from evidence to a ranking in which ties stay ties."""
