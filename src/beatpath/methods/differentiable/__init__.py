"""Tournament operators on torch tensors, and learning through them; the only package that needs torch."""

from beatpath._errors import BeatpathError, MissingExtra
from beatpath._text import shown

try:
    import torch  # noqa: F401
except ModuleNotFoundError:
    raise MissingExtra("torch", "torch", "learning a tournament") from None
except ImportError as error:  # its libraries exist but cannot be loaded, usually for lack of memory
    raise BeatpathError(f"torch is installed and cannot be loaded: {shown(error, 200)}.") from None
