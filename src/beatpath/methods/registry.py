"""The methods there are: key, sentence, what each takes, its properties and cost.

Properties are those of VasE Table 4, ``condorcet``, ``clone``, ``population``, ``agenda``, ``iia``, each as a law about
winners (``iia``: about the order of two agents). Where VasE grants one to lotteries, or to fixed marks, theory pages say so.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from beatpath._errors import UsageError
from beatpath._text import quoted, suggestion

RANKINGS = frozenset({"ballots", "scores"})
PAIRWISE = frozenset({"ballots", "scores", "battles", "pairs", "margins", "win_rates"})
PROPERTIES = ("condorcet", "clone", "population", "agenda", "iia")
QUESTIONS = {
    "strength": "how well an agent does against all others",
    "order": "which order the wins of agents over each other support",
    "mixture": "which agents a mixture needs that nobody beats",
    "places": "who stands highest on the most votes",
}


@dataclass(frozen=True, slots=True)
class Method:
    """One method: where it lives, one sentence, what it takes, its properties and its cost.

    The function at `home` takes a `Profile` and the settings named in `settings` and returns an `Outcome`. One that
    `compares` reads nothing but who is above whom in each pair and by how much: it can be run on estimated win rates too.
    What it `asks` is a key of `QUESTIONS`.
    One that is run `by_name` is not among those that run unless told otherwise.
    One that `scales` looks at ballots or at pairs that met alone, so that tens of thousands of agents are not too many; one that
    `passes` looks once at each ballot or battle, so that a million are not.
    """

    key: str
    home: str
    sentence: str
    takes: frozenset[str]
    properties: frozenset[str] = frozenset()
    complexity: str = ""
    settings: tuple[str, ...] = ()
    compares: bool = False
    asks: str = "order"

    @property
    def question(self) -> str:
        """What the method answers, in words.

        >>> METHODS["bradley_terry"].question
        'how well an agent does against all others'
        """
        return QUESTIONS[self.asks]

    scales: bool = False
    by_name: bool = False
    passes: bool = False

    def function(self) -> Callable[..., Any]:
        """Load the method's own module and return its function."""
        module, _, name = self.home.partition(":")
        function: Callable[..., Any] = getattr(import_module(f"beatpath.methods.{module}"), name)
        return function


_ALL = (
    Method(
        "plurality",
        "voting.plurality:plurality",
        "counts how often an agent is ranked first",
        RANKINGS,
        frozenset({"population"}),
        "O(votes)",
        asks="places",
        scales=True,
        passes=True,
    ),
    Method(
        "approval",
        "voting.approval:approval",
        "counts how often an agent is among the first k",
        RANKINGS,
        frozenset({"population"}),
        "O(votes k)",
        ("k",),
        asks="places",
        scales=True,
        passes=True,
    ),
    Method(
        "borda",
        "voting.borda:borda",
        "adds up the number of agents ranked below, over all votes",
        RANKINGS,
        frozenset({"population"}),
        "O(votes m)",
        asks="strength",
        scales=True,
        passes=True,
    ),
    Method(
        "black",
        "voting.black:black",
        "puts the agent that beats all others first, if there is one, and ranks the rest by Borda",
        RANKINGS,
        frozenset({"condorcet"}),
        "O(votes m^2)",
    ),
    Method(
        "coombs",
        "runoff.coombs:coombs",
        "takes out who is ranked last most often, until one is first on most votes",
        RANKINGS,
        frozenset(),
        "O(votes m^2)",
        asks="places",
        by_name=True,
    ),
    Method(
        "tideman_alternative",
        "runoff.tideman_alternative:tideman_alternative",
        "keeps the Smith set, and by turns takes out who is first on the fewest votes",
        RANKINGS,
        frozenset({"condorcet", "clone"}),
        "O(votes m^2)",
        by_name=True,
    ),
    Method(
        "bucklin",
        "median.bucklin:bucklin",
        "counts how many places it takes until an agent is within them on most votes",
        RANKINGS,
        frozenset(),
        "O(votes m)",
        asks="places",
        by_name=True,
    ),
    Method(
        "majority_judgment",
        "median.majority_judgment:majority_judgment",
        "compares agents by their median grade, then by the grades around it",
        frozenset({"scores"}),
        frozenset(),
        "sorting the table",
        asks="strength",
        by_name=True,
    ),
    Method(
        "stv",
        "voting.stv:stv",
        "elects who reaches a quota and transfers the rest, eliminating the last",
        RANKINGS,
        frozenset(),
        "O(votes m^2)",
        ("k",),
        asks="places",
    ),
    Method(
        "copeland",
        "voting.copeland:copeland",
        "counts the rivals an agent beats head to head, ties half",
        PAIRWISE,
        frozenset({"condorcet"}),
        "O(m^2)",
        compares=True,
        scales=True,
        passes=True,
    ),
    Method(
        "minimax",
        "voting.minimax:minimax",
        "prefers the agent whose worst head-to-head defeat is smallest",
        PAIRWISE,
        frozenset({"condorcet"}),
        "O(m^2)",
        compares=True,
    ),
    Method(
        "schulze",
        "voting.schulze:schulze",
        "compares agents by the strongest path of wins between them",
        PAIRWISE,
        frozenset({"condorcet", "clone"}),
        "O(m^3)",
        compares=True,
    ),
    Method(
        "ranked_pairs",
        "voting.ranked_pairs:ranked_pairs",
        "locks in wins from the largest down, skipping those that would close a circle",
        PAIRWISE,
        frozenset({"condorcet", "clone"}),
        "O(m^3)",
        compares=True,
    ),
    Method(
        "split_cycle",
        "voting.split_cycle:split_cycle",
        "drops from every circle its weakest win, and lets what remains decide",
        PAIRWISE,
        frozenset({"condorcet", "clone"}),
        "O(m^3)",
        compares=True,
    ),
    Method(
        "nanson",
        "runoff.nanson:nanson",
        "takes out all whose margins add up to less than nothing, round by round",
        PAIRWISE,
        frozenset({"condorcet"}),
        "O(m^3)",
        compares=True,
        by_name=True,
    ),
    Method(
        "baldwin",
        "runoff.baldwin:baldwin",
        "takes out the agent whose margins add up to the least, one at a time",
        PAIRWISE,
        frozenset({"condorcet"}),
        "O(m^3); all ways of breaking ties, up to 2,000 sets",
        compares=True,
        by_name=True,
    ),
    Method(
        "river",
        "refinement.river:river",
        "locks in wins from the largest down, one over each loser, and elects where they spring from",
        PAIRWISE,
        frozenset({"condorcet", "clone"}),
        "O(m^3 log m)",
        compares=True,
        by_name=True,
    ),
    Method(
        "stable_voting",
        "refinement.stable_voting:stable_voting",
        "elects who is undefeated and would win without the rival it beats most clearly",
        PAIRWISE,
        frozenset({"condorcet"}),
        "exponential in circles; up to 2,000 sets, then Split Cycle",
        compares=True,
        by_name=True,
    ),
    Method(
        "kemeny",
        "kemeny.kemeny:kemeny",
        "finds the order that agrees with the most pairwise preferences",
        PAIRWISE,
        frozenset({"condorcet"}),
        "NP-hard; exact by components, dynamic programming and cuts",
        ("time_limit", "optima"),
        compares=True,
    ),
    Method(
        "maximal_lottery",
        "voting.maximal_lottery:maximal_lottery",
        "draws an agent so that no other draw is preferred on average",
        PAIRWISE,
        frozenset({"condorcet", "clone"}),
        "a linear program",
        compares=True,
        asks="mixture",
    ),
    Method(
        "iml",
        "voting.iml:iml",
        "takes the maximal lottery's agents out, level by level",
        PAIRWISE,
        frozenset({"condorcet", "clone", "agenda"}),
        "at most m linear programs",
        compares=True,
        asks="mixture",
    ),
    Method(
        "nash_averaging",
        "game.nash_averaging:nash_averaging",
        "scores agents against the hardest mixture of rivals or tasks",
        PAIRWISE,
        frozenset(),
        "a linear program and a convex one",
        ("against",),
        compares=True,
        asks="mixture",
    ),
    Method(
        "deviation_ratings",
        "game.deviation_ratings:deviation",
        "asks what an agent would gain against the mixture that lets everyone gain least",
        PAIRWISE,
        frozenset({"condorcet"}),
        "at most m linear programs",
        ("against",),
        compares=True,
        asks="mixture",
        by_name=True,
    ),
    Method(
        "payoff_ratings",
        "game.payoff_ratings:payoff",
        "asks what an agent gets where an equilibrium of the game among agents plays it",
        frozenset({"scores"}),
        frozenset(),
        "a linear program and a convex one over all pairs",
        ("equilibrium", "epsilon"),
        asks="mixture",
        by_name=True,
    ),
    Method(
        "alpha_rank",
        "game.alpha_rank:alpha_rank",
        "follows a population that drifts to whoever does better",
        PAIRWISE,
        frozenset(),
        "O(m^3), one linear system",
        ("alpha", "against"),
        compares=True,
        asks="mixture",
    ),
    Method(
        "elo",
        "rating.elo.elo:elo",
        "moves ratings battle by battle, in the order of time, by what came unexpected",
        frozenset({"battles"}),
        frozenset(),
        "O(battles)",
        ("k", "start"),
        asks="strength",
        scales=True,
        passes=True,
    ),
    Method(
        "glicko2",
        "rating.glicko2.glicko2:glicko2",
        "moves ratings period by period, the further the less sure they are, and says how sure",
        frozenset({"battles"}),
        frozenset(),
        "O(battles)",
        ("start", "deviation", "volatility", "tau", "period"),
        asks="strength",
        scales=True,
        passes=True,
        by_name=True,
    ),
    Method(
        "weng_lin",
        "rating.weng_lin.weng_lin:weng_lin",
        "moves ratings battle by battle, or game by game of several, by a Bayesian step, and says how sure they are",
        frozenset({"battles", "ballots"}),
        frozenset(),
        "O(battles)",
        ("start", "deviation", "beta", "tau"),
        asks="strength",
        scales=True,
        passes=True,
        by_name=True,
    ),
    Method(
        "whole_history",
        "rating.whole_history.whole_history:whole_history",
        "fits strengths that change with time to all battles at once, and ranks by the last",
        frozenset({"battles"}),
        frozenset(),
        "Newton, each step a few sweeps over agents' times",
        ("drift", "prior"),
        asks="strength",
        by_name=True,
    ),
    Method(
        "rank_centrality",
        "rating.rank_centrality:rank_centrality",
        "follows a walk that moves on to whoever wins",
        PAIRWISE - {"margins"},
        frozenset(),
        "one linear system, or sparse power iteration",
        ("prior",),
        asks="strength",
        scales=True,
    ),
    Method(
        "pagerank",
        "rating.pagerank:pagerank",
        "follows losses to whoever won, and now and then starts anew anywhere",
        PAIRWISE - {"margins"},
        frozenset(),
        "sparse power iteration",
        ("damping",),
        asks="strength",
        scales=True,
        by_name=True,
    ),
    Method(
        "eigenvector_centrality",
        "rating.eigenvector_centrality:eigenvector_centrality",
        "finds strengths proportional to those of the agents beaten",
        PAIRWISE - {"margins"},
        frozenset(),
        "one eigenvector; sparse power iteration for many agents",
        ("prior",),
        asks="strength",
        scales=True,
        by_name=True,
    ),
    Method(
        "hodge_rank",
        "rating.hodge_rank:hodge_rank",
        "fits potentials to the margins and says which share of them runs in circles",
        PAIRWISE,
        frozenset(),
        "a sparse linear system; least squares over triangles for the shares",
        asks="strength",
        scales=True,
    ),
    Method(
        "bradley_terry",
        "rating.bradley_terry.bradley_terry:bradley_terry",
        "fits strengths whose differences say how often one agent beats another",
        PAIRWISE - {"margins"},
        frozenset(),
        "Newton on pair counts: O(pairs + m^3) a step, sparse for many agents",
        ("tie_model", "position", "covariates", "prior", "scale", "anchor", "anchor_rating", "max_iter", "start"),
        asks="strength",
        scales=True,
    ),
    Method(
        "bradley_terry_firth",
        "rating.bradley_terry.firth:bradley_terry_firth",
        "fits Bradley-Terry strengths with the bias of small samples taken out",
        PAIRWISE - {"margins"},
        frozenset(),
        "O(m^3) a round of leverages",
        ("scale", "anchor", "anchor_rating", "max_iter"),
        asks="strength",
        by_name=True,
    ),
    Method(
        "bradley_terry_posterior",
        "rating.bradley_terry.posterior:bradley_terry_posterior",
        "draws Bradley-Terry strengths from their posterior, and ranks by its mode",
        PAIRWISE - {"margins"},
        frozenset(),
        "O(pairs + m^3) a draw",
        ("spread", "draws", "seed"),
        asks="strength",
        by_name=True,
    ),
    Method(
        "bradley_terry_structured",
        "rating.bradley_terry.structured:bradley_terry_structured",
        "fits Bradley-Terry strengths that depend on what is known of agents, such as their size",
        frozenset({"battles", "pairs"}),
        frozenset(),
        "O(m^3) a step, some hundred steps",
        ("covariates", "columns", "spread", "cluster"),
        asks="strength",
        by_name=True,
    ),
    Method(
        "bradley_terry_judged",
        "rating.judged.bradley_terry_judged:bradley_terry_judged",
        "fits Bradley-Terry strengths together with a reliability for every judge",
        frozenset({"battles", "scores"}),
        frozenset(),
        "O(votes + m^3) a step, some tens of steps",
        ("covariates", "level"),
        asks="strength",
        by_name=True,
    ),
    Method(
        "thurstone",
        "rating.thurstone:thurstone",
        "fits strengths whose differences, in normal deviates, say how often one agent beats another",
        PAIRWISE - {"margins"},
        frozenset(),
        "Newton on pair counts, sparse for many agents",
        ("prior", "max_iter"),
        asks="strength",
        scales=True,
        by_name=True,
    ),
    Method(
        "plackett_luce",
        "rating.plackett_luce.plackett_luce:plackett_luce",
        "fits strengths to whole rankings, each place a choice among those left",
        RANKINGS,
        frozenset(),
        "Newton, each product O(ranked agents x sizes of ties)",
        ("prior", "scale", "anchor", "anchor_rating", "max_iter"),
        asks="strength",
    ),
    Method(
        "sco",
        "rating.sco.sco:sco",
        "finds ratings whose order contradicts the fewest preferences, counted smoothly",
        PAIRWISE - {"margins"},
        frozenset({"condorcet"}),
        "O(pairs) a step of descent, then insertion moves",
        (
            "loss",
            "solver",
            "temperature",
            "low",
            "high",
            "polish",
            "iterations",
            "learning_rate",
            "batch",
            "unit",
            "seed",
        ),
    ),
    Method(
        "wsco",
        "rating.sco.wsco:wsco",
        "does as sco does, where contradicting the top of a vote costs more",
        RANKINGS,
        frozenset(),
        "O(pairs) a step of descent, then insertion moves",
        (
            "position_weight",
            "solver",
            "temperature",
            "low",
            "high",
            "polish",
            "iterations",
            "learning_rate",
            "batch",
            "unit",
            "seed",
        ),
    ),
)
METHODS = {method.key: method for method in _ALL}


def method_named(key: str) -> Method:
    """Return a method by its key, or raise with the keys there are.

    >>> method_named("schulz")
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: a method must be one of those `beatpath methods` lists; 'schulz' is not. Did you mean \
'schulze'?
    """
    if key not in METHODS:
        raise UsageError(
            f"a method must be one of those `beatpath methods` lists; {quoted(key)} is not.{suggestion(key, METHODS)}"
        )
    return METHODS[key]
