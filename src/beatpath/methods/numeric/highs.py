"""HiGHS, where it can be loaded: a process that holds another build of it, as OR-Tools brings one, has room for one."""

from types import ModuleType

from beatpath._errors import UsageError


def highs() -> ModuleType | None:
    """The module `highspy`, or None where another HiGHS of this process is in its way."""
    try:
        import highspy
    except ImportError:
        return None
    return highspy


def highs_alone(what: str) -> ModuleType:
    """The module `highspy`; where it cannot be loaded, a sentence that says what needs it and what to do."""
    module = highs()
    if module is None:
        raise UsageError(
            f"{what} needs HiGHS, which cannot be loaded in this process: another library has loaded a build of its own, as "
            "`ortools` does. Run beatpath in a process of its own, for instance from the command line."
        )
    return module
