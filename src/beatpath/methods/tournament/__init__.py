"""Tournament solutions: sets of best agents if majority preferences are intransitive."""
