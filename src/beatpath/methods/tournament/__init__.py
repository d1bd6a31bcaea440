"""Tournament solutions: the sets of agents that deserve to be called best when wins run in circles."""
