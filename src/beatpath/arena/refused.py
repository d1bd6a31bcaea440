"""What an arena refuses, each kind by its name, so that those who serve one can tell them apart."""

from beatpath._errors import DataError


class NeverAsked(DataError):
    """A battle that was not asked for here."""


class ToldAlready(DataError):
    """A battle that was told before, with another outcome, or is out no longer."""


class AgentRetired(DataError):
    """A battle of an agent that takes part no longer."""


class StorageAway(DataError):
    """A file or a server that cannot be read or written just now."""
