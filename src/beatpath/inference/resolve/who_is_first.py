"""Who is first: the short answer, then who may be first by score, who beats everybody head to head, and why these differ.

Whatever says who is best takes its words from here: `resolve`, `report`, every context of a report, and the page.
"""

from typing import TYPE_CHECKING

import numpy as np

from beatpath._sentence import OPEN, RESOLVED, Name, Sentence, named, together
from beatpath._text import confidence, counted, percent
from beatpath.inference.cycles.cycles import Cycle
from beatpath.inference.matrix.win_matrix import parts_said
from beatpath.inference.ranks.rank_sets_result import RankSets
from beatpath.inference.resolve.first_place import FirstPlace, below_one_by_one, first_place

if TYPE_CHECKING:
    from beatpath.inference.resolve.resolution import Resolution

MOST_PARTS = 3  # of which it is said who is first
LARGE = 0.1  # share of all agents from which a part is large
FEW = 4  # agents that may be first, all of whom are named

WHY_THEY_DIFFER = {
    "mean_win_rate": "the mean also counts by how much an agent wins",
    "mean_score": "the mean also counts by how many points an agent is ahead",
    "iqm": "the interquartile mean leaves out the quarter of runs at either end, and counts points",
    "median": "the median counts no task but those in the middle",
    "optimality_gap": "the gap counts by how many points runs fall short of 1",
    "probability_of_improvement": "the probability counts single runs, and not the mean of a task",
    "as_sampled": "the share of battles won also depends on whom an agent met, and how often",
    "bradley_terry": "one strength an agent says what all its battles say, and not what one pair does",
}
WEIGHED = "the mean is against the opponents that were weighed"


def answer(found: "Resolution") -> Sentence:
    """Return the short answer: one sentence that is fit for a title."""
    places = first_place(found.ranks, found.matrix.part)
    level, n = confidence(found.ranks.level), len(found.agents)
    if len(found.matrix.parts) > 1:
        fall = f"The {n:,} agents fall into {len(found.matrix.parts):,} parts that never met"
        if 2 * len(places[0].agents) <= n:
            return Sentence((f"{fall}: nobody is first of all.",), OPEN, "trust")
        within, leads = f"{fall}; of {len(places[0].agents):,} in the largest, ", places[0].leaders
        if places[0].certain is not None:
            return Sentence((within, Name(places[0].certain), f" is certainly first ({level})."), OPEN, "board")
        return Sentence((within, *named(leads), f" lead{'s' * (len(leads) == 1)} by {_briefly(found)}."), OPEN, "board")
    place, by = places[0], _briefly(found)
    if place.certain is not None:
        of = f" is certainly first of {n:,} agents by {by} ({level})."
        return Sentence((Name(place.certain), of), RESOLVED, "board")
    circle = circle_at_the_top(found)
    if circle is not None:
        said = f" beat each other in a circle ({level})."
        return Sentence(("No single agent is best: ", *named(sorted(circle.agents)), said), RESOLVED, "core")
    if len(place.may) <= FEW and len(place.may) < n:
        of = f", of {n:,} agents ({level})."
        return Sentence((f"First by {by} is ", *named(place.may, last="or"), of), OPEN, "board")
    lead = (*named(place.leaders), f" {'leads' if len(place.leaders) == 1 else 'lead'} by {by}, but ")
    many = f"any of {n:,}" if len(place.may) == n else f"{len(place.may):,} of {n:,}"
    return Sentence((*lead, f"{many} agents may be first ({level})."), OPEN, "board")


def who_is_first(found: "Resolution") -> tuple[Sentence, ...]:
    """Return the paragraph: parts that never met, who may be first by score, and who beats everybody head to head."""
    places = first_place(found.ranks, found.matrix.part)
    parts = found.matrix.parts
    if len(parts) > 1:
        opening = Sentence((" ".join(parts_said(parts)),), OPEN, "trust")
        large = [place for place in places[:MOST_PARTS] if len(place.agents) >= LARGE * len(found.agents)]
        return (opening, *(first_by_score(found, place) for place in large))
    said = (first_by_score(found, places[0]), head_to_head(found, places[0]), on_one_scale_said(found))
    return tuple(one for one in said if one is not None)


def first_by_score(found: "Resolution", place: FirstPlace) -> Sentence:
    """Say who is first by score of the agents that are compared, or may be, and what is known of the likeliest."""
    ranks, n = found.ranks, len(place.agents)
    level, measure, whole = confidence(ranks.level), ranks.board.measure, n == len(found.agents)
    start: tuple[str, ...] = () if whole else (f"In a part of {n:,} agents, ",)
    at_once = ", all compared at once" if ranks.simultaneous and n > 2 else ""
    if place.certain is not None:
        over = f"that of each of {n - 1:,} others" if n > 2 else "that of the only other agent"
        said = f" is certainly first: its {measure}, {score_said(ranks, place.certain)}, is above {over}{at_once} ({level})"
        return Sentence((*start, Name(place.certain), said, _beats_all(found, place), "."), RESOLVED, "board")
    many = f"{'Any' if whole else 'any'} of {n:,}" if len(place.may) == n else f"{len(place.may):,} of {n:,}"
    may: tuple[str, ...] = (f"{many} agents may be first by {measure} ({level}{at_once})",)
    if len(place.may) < n:
        may += (": ", *together([(Name(name), f" ({score_said(ranks, name, short=True)})") for name in place.may]))
    return Sentence((*start, *may, ".", *_likeliest(found, place)), OPEN, "board")


def score_said(ranks: RankSets, agent: str, *, short: bool = False) -> str:
    """Return an agent's score with its interval, in per cent where it is a share."""
    i = ranks.agents.index(agent)
    score, low, high = (float(values[i]) for values in (ranks.score, ranks.low, ranks.high))
    if ranks.board.is_share:
        told, ends = f"{100 * score:.1f} %", f"{100 * max(low, 0.0):.1f} to {100 * min(high, 1.0):.1f} %"
    else:
        told, ends = f"{score:.3g}", f"{low:.3g} to {high:.3g}"
    return told if short or not (np.isfinite(low) and np.isfinite(high)) else f"{told} ({ends})"


def _likeliest(found: "Resolution", place: FirstPlace) -> tuple[str, ...]:
    """Who is first most probably; and where many may be, all that is certain of it."""
    chance = {name: float(found.first_probability[found.agents.index(name)]) for name in place.may}
    most = max(chance.values(), default=0.0)
    best = [name for name in place.may if chance[name] >= most - 1e-9]
    if most <= 0 or len(best) > 1:
        return ()
    ranks, (who,) = found.ranks, best
    told = (" Most probable is ", Name(who), f" ({percent(most)}, taking true scores as a bell curve)")
    if len(place.may) <= FEW:
        return (*told, ".")
    others, alone = len(place.agents) - 1, below_one_by_one(ranks, who)
    at_once = f"certainly above {int(ranks.above[ranks.agents.index(who)].sum()):,} of {others:,} others with all compared at once"
    above = f"{at_once}, and above {alone:,} with each compared by itself"
    is_above = above if ranks.simultaneous else f"above {alone:,} of {others:,} others, each compared by itself"
    return (*told, f": its {ranks.board.measure} is {score_said(ranks, who)}{_record(found, who)}; it is {is_above}.")


def _record(found: "Resolution", agent: str) -> str:
    """The share of its battles that an agent won, where there are battles."""
    if found.told["kind"] not in ("battles", "pairs"):
        return ""
    told, i = found.pairwise, found.agents.index(agent)
    first, second = told.a == i, told.b == i
    weight = float(told.weight[first | second].sum())
    won = float(told.weight[first] @ told.rate[first] + told.weight[second] @ (1 - told.rate[second]))
    battles = int(told.battles[first | second].sum())
    return f", and it won {percent(won / weight)} of its {counted(battles, 'battle')}" if weight else ""


def _beats_all(found: "Resolution", place: FirstPlace) -> str:
    """What follows ``certainly first`` where that agent beats everybody head to head too."""
    told, n = found.majorities, len(place.agents)
    if place.certain is None or n < len(found.agents) or told.winner != place.certain:
        return ""
    kept = told.wins_resolved(place.certain)
    whom = "every one of them" if n > 2 else "it"
    some = "" if kept == n - 1 else f", though one by one only {_so_many(kept, n - 1)}"
    return f", and it beats {whom} head to head{some}"


def _so_many(resolved: int, wins: int) -> str:
    return f"{resolved:,} of these {counted(wins, 'win')} {'is' if resolved == 1 else 'are'} resolved"


def head_to_head(found: "Resolution", place: FirstPlace) -> Sentence | None:
    """Say whether anyone beats everybody head to head, and why that is another agent than the first by score, if it is."""
    told, n = found.majorities, len(found.agents)
    winner = told.winner
    if winner is not None and winner == place.certain:
        return None
    by = told.by
    ahead = place.certain or (place.leaders[0] if place.leaders else place.agents[0])
    if winner is not None:
        kept = told.wins_resolved(winner)
        sure = kept == n - 1
        one_by_one = "each of these wins is resolved" if sure else _so_many(kept, n - 1)
        end = f"; {one_by_one}, one by one ({confidence(found.ranks.level)})."
        mark = RESOLVED if sure else OPEN
        if winner == ahead or winner in place.leaders:
            also = (Name(winner), f" also beats every other agent head to head, {by}")
            return Sentence((*also, end if n > 2 else "."), mark, "pairs")
        said = (Name(winner), ", and not ", Name(ahead), f", beats every other agent head to head, {by}{end}")
        return Sentence((*said, f" The two differ because {_why(found)}."), mark, "pairs")
    circle = circle_at_the_top(found)
    if circle is not None:
        return _circle_said(found, circle)
    unbeaten = [found.agents[i] for i in np.flatnonzero(told.lost == 0)]
    if len(unbeaten) == n:
        return Sentence((f"Head to head, every pair is even {by}.",), OPEN, "pairs")
    if unbeaten:
        verb = "loses" if len(unbeaten) == 1 else "lose"
        none = (f"Nobody beats every other agent head to head, {by}; ", *named(unbeaten), f" {verb} to nobody.")
        return Sentence(none, OPEN, "pairs")
    return Sentence(("Nobody beats every other agent head to head: ", *_loses(found, ahead), f", {by}."), OPEN, "pairs")


def _loses(found: "Resolution", agent: str) -> tuple[str, ...]:
    """To whom an agent loses head to head, or with whom it is even."""
    told, i = found.majorities, found.agents.index(agent)
    to = np.flatnonzero(told.beats[:, i])
    if len(to):
        worst = sorted(to.tolist(), key=lambda j: (told.rate[i, j], found.agents[j]))
        shown = together([(Name(found.agents[j]), f" (wins {percent(told.rate[i, j])})") for j in worst], 2)
        return ("even ", Name(agent), ", first by score, loses to ", *shown)
    return ("even ", Name(agent), ", first by score, is level with another")


def circle_at_the_top(found: "Resolution") -> Cycle | None:
    """Return a circle that survives the noise, all of whose agents may be first, where nobody certainly is."""
    may = set(found.ranks.top(1))
    if len(found.matrix.parts) > 1 or found.ranks.certainly_top(1):
        return None
    return next((one for one in found.cycles.surviving if set(one.agents) <= may), None)


def _circle_said(found: "Resolution", circle: Cycle) -> Sentence:
    steps: list[str] = []
    for edge in circle.edges:
        steps += ["; " if steps else "", Name(edge.winner), " beats ", Name(edge.loser), f" ({percent(edge.rate)})"]
    at_once = f". All three wins hold at once ({confidence(found.ranks.level)}), so that one list cannot say it."
    parts = ("Nobody beats every other agent head to head: ", *steps, at_once)
    return Sentence(tuple(part for part in parts if part), RESOLVED, "core")


def on_one_scale_said(found: "Resolution") -> Sentence | None:
    """Say what one scale would tell where nothing shows whether it fits."""
    other = found.on_one_scale
    if other is None or not found.matrix.unseen or other.resolved_pairs <= found.ranks.resolved_pairs:
        return None
    may, n = other.top(1), len(found.agents)
    who = named(may, 3) if len(may) < n else (f"any of {n:,} agents",)
    said = "Taking one scale of strengths for granted, which these battles can neither show nor refute, "
    more = f" may be first, and {other.resolved_pairs:,} of {counted(other.pairs, 'pair')} are resolved ({confidence(other.level)})."
    first = (
        *named(may),
        f" is certainly first, and {other.resolved_pairs:,} of {counted(other.pairs, 'pair')} are resolved ({confidence(other.level)}).",
    )
    return Sentence((said, *(first if other.certainly_top(1) else (*who, more))), OPEN, "scale")


def opposed_said(found: "Resolution") -> Sentence | None:
    """Say of whom strengths on one scale would call the opposite of the scores certain, with a name."""
    if not found.opposed:
        return None
    (one, other), more = found.opposed[0], len(found.opposed) - 1
    rest = f", and so of {counted(more, 'more pair')}" if more else ""
    said = f" by {found.board.measure}, and certainly below by Bradley-Terry strength{rest}."
    return Sentence(
        ("Another question has another answer: ", Name(one), " is certainly above ", Name(other), said), OPEN, "scale"
    )


def _briefly(found: "Resolution") -> str:
    return found.board.measure.partition(" against ")[0]


def _why(found: "Resolution") -> str:
    estimand = found.board.settings.get("estimand")
    return WHY_THEY_DIFFER.get(estimand, WEIGHED) if isinstance(estimand, str) else WEIGHED
