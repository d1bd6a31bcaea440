"""Contexts: strengths by task, language or prompt category, partially pooled toward the overall strengths."""
