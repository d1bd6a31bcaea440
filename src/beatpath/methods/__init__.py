"""Ranking and rating methods: pure functions from evidence to a ranking in which ties stay ties. ``beatpath.methods()`` lists them."""

import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from beatpath.methods.method_list import MethodList


class _Methods(ModuleType):
    """A module that can be called, as its name is also that of a function."""

    def __call__(self) -> "MethodList":
        """Return all methods; see `beatpath.methods.method_list`."""
        from beatpath.methods.method_list import methods

        return methods()


sys.modules[__name__].__class__ = _Methods
