"""Tables: files and frames as rows and columns, whatever their format."""
