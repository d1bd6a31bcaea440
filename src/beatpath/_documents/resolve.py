"""What `resolve` prints, and the boards, ranks and tiers it is made of."""

PARTS: dict[str, str] = {}

DOCUMENTS = {
    "tiers": """A board in steps that the data carry.
        scheme: top|letters|cuts  How they are made.
        estimand: str  What a score is.
        labels: {str}  Tier, letters or group by agent; empty without a score.
        groups: [[str]]  The agents of every tier, letter or group, best first.
        part: {int}  By agent; those of different parts were never compared.
        settings: {any}  What was chosen.""",
}
