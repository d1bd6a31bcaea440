"""The page: a template, a style sheet and a script, put together into one file that loads nothing."""
