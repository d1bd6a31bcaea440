"""A learned model knows agents by name."""

import pytest

from beatpath import Battles, Factor, UsageError


def test_a_model_knows_agents_by_name_in_any_order(learned):
    turned = Battles.of([("b", "a", 1)], factors={"task": Factor.of(["code"])})
    straight = Battles.of([("a", "b", 1)], factors={"task": Factor.of(["code"])})
    assert learned.model.logits(turned)[0] == -learned.model.logits(straight)[0] < 0
    with pytest.raises(UsageError, match="must be among the 6 that were learned; got 'zoe'"):
        learned.model.logits(Battles.of([("a", "zoe", 1)], factors={"task": Factor.of(["code"])}))
    with pytest.raises(UsageError, match=r"had in learning.*got 'law'"):
        learned.model.logits(Battles.of([("a", "b", 1)], factors={"task": Factor.of(["law"])}))
