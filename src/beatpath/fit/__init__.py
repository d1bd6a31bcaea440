"""Fitting of paired-comparison models by Newton's method on a graph Laplacian: dense, sparse or batched."""

import sys
from types import ModuleType
from typing import NoReturn


class _Fit(ModuleType):
    """A module whose name people take for a function: a call says what does the same."""

    def __call__(self, *args: object, **options: object) -> NoReturn:
        """Raise the error of a name that is not public."""
        from beatpath._doors import missing_name

        raise missing_name(self.__name__.rpartition(".")[2])


sys.modules[__name__].__class__ = _Fit
