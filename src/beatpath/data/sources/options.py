"""What the user said about the files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

from beatpath._typing import ReadTo, Repeats, SelfBattles
from beatpath._validate import require_choice
from beatpath.data.sources.source import require_encoding


@dataclass(frozen=True, slots=True)
class Options:
    """What the user said about the file, beyond where it is.

    Parameters
    ----------
    columns : mapping of role to column
        ``--map agent_a=left,outcome=label``.
    labels : mapping of label to meaning
        ``--labels invalid=drop,x=a``: outcomes ``a``, ``b``, ``tie``, ``both_bad``, ``drop``; places ``last``, ``drop``.
    where : sequence of conditions
        ``--where walkover=false``: only rows that meet all of them are read.
    keep : sequence of columns
        Further columns to carry along as factors or covariates.
    lower : sequence of metrics or tasks
        Those for which lower scores are better.
    encoding, delimiter : str, optional
        Overrides of what the file itself shows.
    self_battles : "drop" or "error"
        What to do with rows in which an agent meets itself.
    repeats : "error" or "best"
        What to do with an agent that stands on a ballot more than once.
    to : "battles", "pairs" or ``None``
        Whether battles are reduced to pair counts while they are read; ``None`` where whoever reads may choose.
    by : sequence of roles or columns
        What such pair counts are split by.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    where: Sequence[str] = ()
    keep: Sequence[str] = ()
    lower: Sequence[str] = ()
    encoding: str | None = None
    delimiter: str | None = None
    self_battles: SelfBattles = "drop"
    repeats: Repeats = "error"
    to: ReadTo | None = None
    by: Sequence[str] = ()

    def __post_init__(self) -> None:
        require_choice("self_battles", self.self_battles, get_args(SelfBattles))
        require_choice("repeats", self.repeats, get_args(Repeats))
        if self.encoding is not None:
            require_encoding(self.encoding)
        if self.to is not None:
            require_choice("to", self.to, get_args(ReadTo))
