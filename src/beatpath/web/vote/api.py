"""Voting over HTTP: the pair before a session, its vote, and its vote taken back."""

from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from beatpath.web.pages import page
from beatpath.web.vote.booth import Booth, Choice

router = APIRouter(prefix="/api/vote", tags=["vote"])
pages = APIRouter(include_in_schema=False)
Session = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9_-]{16,64}$", description="A secret of one tab, which it makes up by chance.")
]
Key = Annotated[str, Field(max_length=200, description="The key of the pair.")]


class Sitting(BaseModel):
    """Who asks."""

    model_config = ConfigDict(extra="forbid")

    session: Session


class Undoing(Sitting):
    """A vote that is taken back."""

    battle: Key


class Vote(Undoing):
    """A vote."""

    choice: Choice = Field(description="Which answer is better, if one is.")


def _booth(request: Request) -> Booth:
    booth: Booth = request.app.state.booth
    return booth


@pages.get("/")
def vote_page() -> Response:
    """Where votes are given."""
    return page("vote")


@router.post("/pair")
def pair(request: Request, sitting: Sitting) -> dict[str, Any]:
    """Return the pair before a session, without its agents; a new one where the last was voted on."""
    return _booth(request).pair(sitting.session)


@router.post("/cast")
def cast(request: Request, vote: Vote) -> dict[str, Any]:
    """Vote, and learn who was who. The same vote sent again counts once."""
    return _booth(request).cast(vote.session, vote.battle, vote.choice)


@router.post("/undo")
def undo(request: Request, undoing: Undoing) -> dict[str, Any]:
    """Take the latest vote of a session back; its pair is shown again."""
    return _booth(request).undo(undoing.session, undoing.battle)
