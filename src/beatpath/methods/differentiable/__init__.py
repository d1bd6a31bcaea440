"""Tournament operators on tensors and the learner that trains through them; the one room that needs torch."""

from beatpath._errors import MissingExtra

try:
    import torch  # noqa: F401
except ModuleNotFoundError:
    raise MissingExtra("torch", "torch", "learning a tournament") from None
