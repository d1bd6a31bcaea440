"""Tournament operators on tensors and the learner that trains through them; the one room that needs torch."""

from beatpath._errors import BeatpathError, MissingExtra
from beatpath._text import shown

try:
    import torch  # noqa: F401
except ModuleNotFoundError:
    raise MissingExtra("torch", "torch", "learning a tournament") from None
except ImportError as error:  # its libraries are there and cannot be loaded, for want of memory as a rule
    raise BeatpathError(f"torch is installed and cannot be loaded: {shown(error, 200)}.") from None
