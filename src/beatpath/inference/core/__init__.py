"""Core: who is undominated, and with what probability."""
