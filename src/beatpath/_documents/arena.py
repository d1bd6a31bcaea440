"""What `arena status` prints."""

PARTS: dict[str, str] = {}

DOCUMENTS = {
    "arena_status": """Where an arena stands.
        level: num  The confidence.
        battles: int  Battles that were told.
        ranks: [AnytimeRow]  Agents, best first.
        above: [[str]]  Pairs of agents, the first certainly above the second.
        sentences: [str]  The same in words.
        goal: str  What it is for.
        done: bool  Whether that is settled.
        reason: str  Why, or what is missing.
        battles_left: int?  About how many more it takes; null where nobody can say.
        pending: int  Battles that are out.""",
}
