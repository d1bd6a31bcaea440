"""Plackett-Luce: strengths from rankings."""
