"""beatpath: what evaluation data really show."""
