"""Learned: cores whose edges depend on a context, trained by gradient (needs torch)."""

from beatpath.methods import differentiable  # noqa: F401  says which extra to install where torch is not there
