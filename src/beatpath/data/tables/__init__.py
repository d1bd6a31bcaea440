"""Tables: files and data frames as rows and columns, independent of their format."""
