"""Verbs of what runs on: an arena, the page where people vote, and the page that shows a board."""
