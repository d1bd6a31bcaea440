"""Files and frames into evidence, and evidence into files."""
