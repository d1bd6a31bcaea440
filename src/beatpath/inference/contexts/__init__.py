"""Contexts: strengths by task, language or prompt class, drawn towards the whole as far as the data say."""
