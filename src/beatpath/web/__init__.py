"""The web service: an interactive report, and its JSON interface."""
