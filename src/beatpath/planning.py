"""How many battles, and which: sample sizes, power, the next pairs and items; and how evidence was collected."""

from beatpath._guard import guard
from beatpath.evidence_design.design import Design
from beatpath.inference.design.next_pairs import NextPairs, next_pairs
from beatpath.inference.design.power import (
    ComparisonsNeeded,
    MinimumDetectableEffect,
    comparisons_needed,
    minimum_detectable_effect,
)
from beatpath.inference.design.sample_size import SampleSize, sample_size
from beatpath.inference.design.sample_size_for_top import SampleSizeForTop, sample_size_for_top
from beatpath.inference.items.next_items import NextItems, next_items

__all__ = ["ComparisonsNeeded", "Design", "MinimumDetectableEffect", "NextItems", "NextPairs", "SampleSize", "SampleSizeForTop",
    "comparisons_needed", "minimum_detectable_effect", "next_items", "next_pairs", "sample_size", "sample_size_for_top"]  # fmt: skip

guard(globals())
