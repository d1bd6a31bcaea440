"""Reproduces: SCO and Elo from a stream of games, each seen once, judged on games held out.

Source     Soft Condorcet Optimization (SCO), appendix D.4 (Figure 6) and section 4.4 (Figure 3)
Data       simulated, of the size of the paper's Diplomacy set, which is not public; step_game, pgg_bench and f1_results
           in the folder given by --data
Expected   expected.json, typed in by hand from the source, never written by this script
Run        python reproductions/sco_online/reproduce.py             (one simulated site, three orders of each real set)
           python reproductions/sco_online/reproduce.py --full      (ten sites, fifty orders)
           --sites N, --orders N; exit 1 on a mismatch
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import beatpath as bp
from beatpath.inference.sensitivity.calibration import held_out_distance, hold_out
from beatpath.methods.profile import Profile, profile_of
from beatpath.methods.rating.bradley_terry.bradley_terry import bradley_terry
from beatpath.methods.rating.elo import OnlineElo
from beatpath.methods.rating.sco.online_sco import OnlineSco
from beatpath.methods.rating.sco.sco import sco
from beatpath.methods.voting.scoring import approval, borda, plurality
from beatpath.reports.reproduction import Line, show

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
sys.path.insert(0, str(Path(__file__).parent))
from games import REAL, diplomacy, real
from script import expected_of, mapped, mean_of, parser_of

K = 32.0
ELO = "Elo online, K 32 a game"
PRIOR = 0.1
Distances = dict[str, float]


def streamed(train: bp.Ballots, test: bp.Ballots, rates: list[float], rng: np.random.Generator) -> Distances:
    """The test distance of online ratings after one pass over the games in a random order."""
    games = rng.permutation(len(train))
    shown = train.take(games)
    sco_of = {f"SCO online, alpha {rate:g}": OnlineSco(learning_rate=rate).update(shown) for rate in rates}
    distances = {name: held_out_distance(online.ratings, test) for name, online in sco_of.items()}
    for name, shared in ((ELO, True), ("Elo online, K 32 a pair", False)):
        distances[name] = held_out_distance(OnlineElo(k=K).update(battles(train, games, shared)).ratings, test)
    return distances


def battles(ballots: bp.Ballots, games: np.ndarray, shared: bool) -> bp.Battles:
    """Every pair of a game as a battle at the time of the game; ties half. Shared: the pairs of a game weigh one."""
    rows = []
    for time, game in enumerate(games.tolist()):
        low, high = int(ballots.start[game]), int(ballots.start[game + 1])
        agent, place = ballots.agent[low:high], ballots.place[low:high]
        a, b = np.triu_indices(high - low, 1)
        outcome = np.where(place[a] < place[b], 1.0, 0.5)
        rows.append((agent[a], agent[b], outcome, np.full(len(a), float(time)), np.full(len(a), 1 / max(len(a), 1))))
    a, b, outcome, when, weight = (np.concatenate(column) for column in zip(*rows, strict=True))
    return bp.Battles(ballots.agents, a, b, outcome, time=when, weight=weight if shared else None)


def at_once(train: bp.Ballots, test: bp.Ballots, ways: tuple[str, ...]) -> Distances:
    """The test distance of what may look at all games as often as it likes."""
    profile = profile_of(train)
    rules = {
        "default": lambda: -sco(profile).level,
        "default, Fenchel-Young": lambda: -sco(profile, loss="fenchel_young").level,
        "Elo": lambda: -bradley_terry(profile, prior=PRIOR).level,
        "copeland": lambda: more_beaten(profile),
        "plurality": lambda: -plurality(profile).level,
        "approval, k = 2": lambda: -approval(profile, k=2).level,
        "approval, k = 3": lambda: -approval(profile, k=3).level,
        "borda": lambda: -borda(profile).level,
    }
    ratings = {name: dict(zip(profile.agents, rules[name]().tolist(), strict=True)) for name in ways}
    return {name: held_out_distance(rating, test) for name, rating in ratings.items()}


def more_beaten(profile: Profile) -> NDArray[np.float64]:
    """Rivals beaten less rivals lost to: Copeland's order, from the compared pairs, for more agents than a table holds."""
    pairs = profile.settled
    assert pairs is not None
    sign = np.sign(pairs.counts[:, 0] - pairs.counts[:, 1])
    n = len(profile.agents)
    return np.bincount(pairs.a, sign, n) - np.bincount(pairs.b, sign, n)


def site(seed: int, expected: dict[str, Any]) -> Distances:
    """One simulated site."""
    rng = np.random.default_rng([seed, 4])
    ballots = diplomacy(expected["agents"], expected["games"], expected["seats"], rng)
    train, test = hold_out(ballots, expected["held out"], seed=seed)
    distances = streamed(train, test, expected["learning_rates"], rng)
    return distances | at_once(train, test, ("default", "Elo", *expected["figure 5 of VasE"]))


def real_set(data: Path, name: str, seed: int, expected: dict[str, Any]) -> Distances | None:
    """One order of a real set, a tenth held out."""
    ballots = real(data, name)
    if ballots is None:
        return None
    train, test = hold_out(ballots, len(ballots) // 10, seed=seed)
    distances = streamed(train, test, expected["learning_rates"], np.random.default_rng([seed, 4]))
    return distances | at_once(train, test, ("default", "default, Fenchel-Young", "Elo"))


def lines_of(name: str, runs: list[Distances], expected: dict[str, Any], simulated: bool) -> list[Line]:
    """The mean distance of every way, beside online Elo's, and what was published of it."""
    published = {f"SCO online, alpha {rate}": words for rate, words in expected["online"].items()}
    values = expected["test distance"] if simulated else {}
    of_default = {"default": values.get("SCO, sigmoid"), "default, Fenchel-Young": values.get("SCO, Fenchel-Young")}
    printed = {key: f"{value:.2f}" for key, value in {**values, **of_default}.items() if value} | published
    for way, words in expected["figure 5 of VasE"].items() if simulated else ():
        printed[way] = "; ".join(filter(None, [printed.get(way), f"VasE Figure 5: {words}"]))
    lines = []
    for way in runs[0]:
        gap = [run[way] - run[ELO] for run in runs]
        note = f"beside that Elo {mean_of(gap, 3)}" if way != ELO else ""
        agrees = as_published(way, runs, simulated) if way in published else None
        lines.append(Line(f"{name}: {way}", printed.get(way, ""), mean_of([run[way] for run in runs], 3), agrees, note))
    return lines


def as_published(way: str, runs: list[Distances], simulated: bool) -> bool | None:
    """Whether the larger step is the better one, and the largest better than Elo.

    That the largest is at least as good as Elo, within a twentieth of a pair, and that larger steps are better, must
    hold on the simulated site; otherwise the data are not the paper's, and what differs says so.
    """
    mean = {name: float(np.mean([run[name] for run in runs])) for name in runs[0]}
    rate = way.rsplit(" ", 1)[1]
    rival = {"0.5": ELO, "0.1": "SCO online, alpha 0.5", "0.02": "SCO online, alpha 0.1"}[rate]
    gap = mean[way] - mean[rival] if rate == "0.5" else mean[rival] - mean[way]
    return True if gap < 0 else False if simulated and gap > 0.05 else None


def main() -> int:
    """Print the lines; 1 when something differs without a reason."""
    parser = parser_of(__doc__)
    parser.add_argument("--full", action="store_true", help="ten sites and fifty orders")
    parser.add_argument("--sites", type=int, help="simulated sites [1; 10 if full]")
    parser.add_argument("--orders", type=int, help="orders of each real set [3; 50 if full]")
    parser.add_argument("--share", type=float, default=1.0, help="of the size of the simulated site [1]")
    options = parser.parse_args()
    expected = expected_of(__file__)
    size = {key: int(expected[key] * options.share) for key in ("agents", "games", "held out")}
    sites = options.sites or (10 if options.full else 1)
    orders = options.orders or (expected["runs"] if options.full else 3)
    results = mapped(site, [(seed, expected | size) for seed in range(sites)], "simulated sites", options.processes)
    lines = lines_of("simulated", results, expected, simulated=True)
    for name in REAL:
        jobs = [(options.data, name, seed, expected) for seed in range(orders)]
        runs = [run for run in mapped(real_set, jobs, name, options.processes) if run is not None]
        if runs:
            lines += lines_of(name, runs, expected, simulated=False)
        else:
            print(f"skipped: {REAL[name][0]} is not in {options.data}", file=sys.stderr)
    return show("SCO D.4: test distance of ratings from a stream", lines, options.format)


if __name__ == "__main__":
    sys.exit(main())
