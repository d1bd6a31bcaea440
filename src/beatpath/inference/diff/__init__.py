"""Diff: what changed between two boards, as far as both carry it."""
