"""Bradley and Terry's model with a reliability for every judge, and battles or scores as the votes that it is fitted to."""
