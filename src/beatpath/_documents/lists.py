"""What `methods`, `formats`, `convert` and `reproduce` print."""

PARTS = {
    "MethodRow": """A method.
        method: str  Its key.
        what it does: str  In a sentence.
        answers: str  The question it answers.
        takes: str  The kinds of evidence.
        condorcet: yes|  Whether it elects a Condorcet winner.
        clone: yes|  Whether it is independent of clones.
        population: yes|  Whether it is population consistent.
        agenda: yes|  Whether it is agenda consistent.
        iia: yes|  Whether it is independent of irrelevant alternatives.
        cost: str  How it grows.
        settings: str  What it can be told.""",
    "FormatRow": """A format that is read.
        format: str  Its name.
        what: str  What it is.""",
    "LayoutRow": """A layout of a table.
        layout: str  Its name.
        required: str  Roles that columns must have.
        optional: str  Roles that they may have.""",
    "Line": """A number of a paper beside ours.
        what: str  What it is.
        published: any  The paper's.
        ours: any  Ours.
        agrees: bool?  Whether they agree; null where nothing was asked.
        note: str  What to know.""",
}

DOCUMENTS = {
    "methods": """The methods there are.
        methods: [MethodRow]  One a method.""",
    "formats": """The formats that are read.
        formats: [FormatRow]  One a format.
        layouts: [LayoutRow]  One a layout of a table.""",
    "convert": """What was written.
        out: str  The file.
        kind: str  Of evidence.
        agents: int  In it.
        lost: [str]  What the file cannot hold.
        conventions: [Convention]  What turned the evidence into this kind.
        reading: Reading?  What became of the rows.""",
    "reproduction": """A table of a paper beside ours.
        title: str  Of the reproduction.
        lines: [Line]  One a number.""",
}
