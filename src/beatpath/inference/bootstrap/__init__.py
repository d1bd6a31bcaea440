"""Bootstrap: any method on resampled evidence."""
