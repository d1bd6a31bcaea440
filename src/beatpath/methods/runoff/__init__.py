"""Elimination rules: rounds that part the agents left into those that go on and those that fall behind."""
