"""One scale: Bradley-Terry as a projection, and its lack of fit."""
