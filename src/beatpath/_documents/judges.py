"""What `judges` prints."""

PARTS = {
    "Interval": """An estimate and its interval.
        estimate: num?  The estimate.
        low: num?  Lower end.
        high: num?  Upper end.""",
    "Turn": """Votes of one judge that make another agent first.
        votes: int?  So many are enough; null where all of them are not.
        rival: str?  Who is first then.""",
    "Judge": """One judge.
        name: str  Of the judge.
        votes: int  For either side.
        ties: int  Ties called.
        reliability: Interval?  How closely its votes follow the lead by the others: 1 as they do, 0 not at all.
        weight: num  What one of its votes tells of strengths; the mean over votes is 1.
        shifts: {Interval}  Share of votes between equal agents for the side shown first, its kin, or more of a covariate.
        first_without: [str]  Who is first without its votes.
        distance: num?  Kendall distance between the orders with and without it.
        dropped: Turn?  Its votes that, left out, make another first.
        turned: Turn?  Its votes that, turned round, make another first.
        alarms: [str]  What falls out, at one error for all judges.""",
    "PairAgreement": """Two judges on the units that both judged.
        judges: [str]  Their names.
        units: int  In common.
        kappa: Interval  Cohen's kappa.""",
    "Agreement": """Judges of the same units.
        units: int  With two judges or more.
        share: num?  Of pairs of verdicts that agree.
        alpha: Interval  Krippendorff's alpha.
        fleiss: Interval  Fleiss' kappa.
        pairs: [PairAgreement]  Every two judges, lowest first.
        accuracy: {Interval}  By judge, the probability of the true verdict by Dawid and Skene.""",
    "HeldOut": """Mean log loss of votes held out.
        plain: num  With all judges alike.
        aware: num  With a reliability for each.
        gain: num  Plain less aware.
        standard_error: num  Of the gain.
        votes: int  Predicted.
        verdict: plain|aware|alike  Which predicts better, at two standard errors.""",
}

DOCUMENTS = {
    "judges": """Every judge held against the others.
        level: num  Of intervals; alarms together are false with what is left to 1.
        agents: [str]  Best first with all judges alike.
        judges: [Judge]  Those that fall out first.
        strengths: {num}  By agent, log odds with all judges alike.
        aware: {num}  By agent, log odds with a reliability for each judge.
        spread: num  Standard deviation of reliability over judges.
        agreement: Agreement?  On units judged by several.
        held_out: HeldOut?  Whether knowing the judges predicts better.
        settings: {any}  What it was told.
        reading?: Reading?  What became of the rows, on the command line.""",
}
