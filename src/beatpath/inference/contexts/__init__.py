"""Contexts: strengths by task, language or prompt class, shrunk toward the whole as far as the data say."""
