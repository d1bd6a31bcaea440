r"""Random numbers by place rather than by turn, the same on every device.

SplitMix64 [1]_: the i-th number of a stream is a scrambled :math:`\text{seed} + i \varphi`, so that any part of it can be had without
the rest, in any order and on any processor, to the bit.

References
----------
.. [1] G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", *OOPSLA* 2014, 453-472.
"""

from torch import Tensor

STEP = 0x9E3779B97F4A7C15
SCRAMBLE = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))


def random_words(seed: int, place: Tensor) -> Tensor:
    """Return the words of 64 bits at some places of the stream, as signed numbers.

    >>> import torch
    >>> [word % 2**64 for word in random_words(1234567, torch.arange(2)).tolist()]
    [6457827717110365317, 3203168211198807973]
    """
    z = (place + 1) * _signed(STEP) + _signed(seed)
    for bits, factor in SCRAMBLE:
        z = (z ^ _shifted(z, bits)) * _signed(factor)
    return z ^ _shifted(z, 31)


def uniform(seed: int, place: Tensor) -> Tensor:
    """Return the numbers from 0 up to but not including 1 at some places of the stream, in double precision.

    >>> import torch
    >>> uniform(1234567, torch.arange(2))
    tensor([0.3501, 0.1736], dtype=torch.float64)
    """
    return _shifted(random_words(seed, place), 11).double() * 2.0**-53


def _shifted(z: Tensor, bits: int) -> Tensor:
    """Bits moved to the right, zeros coming in whatever the sign."""
    return (z >> bits) & ((1 << (64 - bits)) - 1)


def _signed(word: int) -> int:
    """The same 64 bits as a signed number."""
    word %= 2**64
    return word - 2**64 if word >= 2**63 else word
