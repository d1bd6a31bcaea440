"""Human votes: two answers to one prompt, side by side, their agents hidden until the vote is in."""
