"""Learned: cores whose edges depend on a context, trained by gradient (needs torch)."""
