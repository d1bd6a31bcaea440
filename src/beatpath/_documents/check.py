"""What `check` prints."""

PARTS = {
    "Finding": """One check and what it found.
        name: str  Of the check.
        status: passed|warning|failed|not run  Whether it passed.
        sentence: str  What was found.
        consequence: str  What that does to an answer, empty where nothing.
        figures: {any}  The numbers behind it.""",
}

DOCUMENTS = {
    "check": """Whether data can carry a conclusion.
        kind: str  Of evidence.
        agents: [str]  By name.
        summary: {any}  How much there is.
        findings: [Finding]  What was checked.
        settings: {num}  The limits that were applied.
        conventions: [Convention]  What the checks themselves assume.
        reading: Reading?  What became of the rows.""",
    "finding": """One check and what it found.
        name: str  Of the check.
        status: passed|warning|failed|not run  Whether it passed.
        sentence: str  What was found.
        consequence: str  What that does to an answer, empty where nothing.
        figures: {any}  The numbers behind it.""",
}
