"""Models that need torch: the core by learned contexts, and soft cores of resamples."""

from beatpath._guard import guard
from beatpath.inference.core.core_bootstrap import CoreBootstrap, core_bootstrap
from beatpath.inference.learned.learner import LearnedCore, learn

__all__ = ["CoreBootstrap", "LearnedCore", "core_bootstrap", "learn"]

guard(globals())
