"""What those who serve an arena need beside it: who plays next and why, and votes taken back."""
