"""Evidence into answers: one method a file, pure, ties as ties."""
