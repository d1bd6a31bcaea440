"""Learned tournaments: cores whose edges depend on a context, trained by gradient descent (needs torch)."""

from beatpath.methods import differentiable  # noqa: F401  names the extra to install where torch is missing
