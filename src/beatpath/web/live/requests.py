"""What a runner asks of an arena and tells it."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StrictFloat, StrictInt, StrictStr, model_validator

MOST_ASKED, MOST_TOLD = 1000, 10_000
Name = Annotated[str, Field(max_length=200)]
Outcome = Annotated[
    StrictStr | StrictFloat | StrictInt,
    Field(description='"a", "b", "tie", "both_bad", "failed", or a number from 0 to 1 for a.', examples=["a", 0.75]),
]


class Asking(BaseModel):
    """How many battles are wanted."""

    model_config = ConfigDict(extra="forbid")

    count: int = Field(1, ge=1, le=MOST_ASKED, description="How many battles.")


class Failing(BaseModel):
    """A battle that is given back."""

    model_config = ConfigDict(extra="forbid")

    battle: Name = Field(description="The key by which it was asked.")


class Told(BaseModel):
    """What came of one battle."""

    model_config = ConfigDict(extra="forbid")

    battle: Name = Field(description="The key by which it was asked.")
    outcome: Outcome
    judge: Name | None = Field(None, description="Who says so, if not the one of all.")


class Telling(BaseModel):
    """What came of a battle, or of many."""

    model_config = ConfigDict(extra="forbid")

    battle: Name | None = Field(None, description="The key by which it was asked.")
    outcome: Outcome | None = None
    told: list[Told] = Field([], max_length=MOST_TOLD, description="Many, of which all are kept or none.")
    judge: Name | None = Field(None, description="Who says so.")

    @model_validator(mode="after")
    def _one_or_many(self) -> "Telling":
        alone = self.battle is not None and self.outcome is not None and not self.told
        many = self.battle is None and self.outcome is None and bool(self.told)
        if not alone and not many:
            raise ValueError("have `battle` and `outcome`, or a list `told` of such, and not both")
        return self

    def rows(self) -> list[tuple[str, Any, str | None]]:
        """Return every battle with its outcome and judge."""
        if self.battle is not None:
            return [(self.battle, self.outcome, None)]
        return [(one.battle, one.outcome, one.judge) for one in self.told]
