"""Records: what readers of JSON-like formats share."""
