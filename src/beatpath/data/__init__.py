"""Read files and data frames as evidence, and write evidence to files."""
