"""The words that options take, for Python, the command line and the page alike; and the arrays that everything is made of."""

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ties = Literal["half", "drop", "keep"]
BothBad = Literal["tie", "drop", "keep"]
PairWeight = Literal["count", "rate"]
Unranked = Literal["ignore", "last"]
Missing = Literal["unranked", "last", "drop_task", "error"]
Per = Literal["auto", "task", "item"]

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Codes: TypeAlias = NDArray[np.int32]
Bools: TypeAlias = NDArray[np.bool_]
