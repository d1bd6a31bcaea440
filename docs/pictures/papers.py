"""Draw figures of the papers: python docs/pictures/papers.py --data FOLDER (VasE 9, 11 and 13; SCO 4 and 5)."""

import argparse
import json
import sys
from html import escape
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

import beatpath as bp
from beatpath.methods.profile import profile_of
from beatpath.methods.rating.sco.descent import fenchel_young_loss
from beatpath.methods.rating.sco.losses import cells_of, sigmoid_loss
from beatpath.reports.figures import bump, save_picture

HERE = Path(__file__).parent
REPRODUCTIONS = HERE.parents[1] / "reproductions"
sys.path.insert(0, str(REPRODUCTIONS / "common"))
from contests import _matched

INK, QUIET, LINE, BAR, MARK = "#1d2126", "#6a7079", "#9fb6d1", "#1a5899", "#c0392b"  # text, labels, edges, bars, minima
FONT = "font-family=\"system-ui, 'Liberation Sans', Arial, sans-serif\""
SEASONS = (2014, 2015, 2016, 2017, 2018, 2019)
TOP, ROW = 8, 52  # agents of a graph, as in the paper, and pixels per agent


def text(x, y, words, size=13, fill=INK, anchor="start"):
    """Return a line of text."""
    tags = f'x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{fill}" text-anchor="{anchor}"'
    return f"<text {tags}>{escape(str(words))}</text>"


def svg(width, height, label, parts):
    """Return a whole picture on white."""
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    start = f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(label)}" {size} {FONT}>'
    return f'{start}<rect width="100%" height="100%" fill="#ffffff"/>{"".join(parts)}</svg>\n'


def locked_wins(ranking, margins, agents, title):
    """Return the wins that ranked pairs locked among its first eight agents, each with its margin.

    A win is locked exactly if it agrees with the final order, where no two wins in conflict have the same margin. Where some
    have, agents share a rank, and their wins are dashed.
    """
    order = sorted(agents, key=lambda name: (ranking.rank(name), name))[:TOP]
    at = {name: 64 + ROW * k for k, name in enumerate(order)}
    place = [agents.index(name) for name in order]
    most = np.abs(margins[np.ix_(place, place)]).max()
    parts = [text(16, 28, title, 15)]
    for i, a in enumerate(order):
        for j, b in enumerate(order):
            margin = margins[place[i], place[j]]
            if margin <= 0 or i == j:
                continue
            ahead, far = ranking.rank(b) - ranking.rank(a), abs(j - i)
            locked = ahead >= 0  # of two agents that share a rank the order of locking decides
            side, color = (1, LINE) if locked else (-1, MARK)
            x, dash = 210 + side * 6, "" if ahead > 0 else ' stroke-dasharray="4 3"'
            bend = x + side * 44 * far * (0 if far == 1 and locked else 1)
            width = 0.8 + 3.2 * margin / most
            path = f"M{x} {at[a]}Q{bend + side * 44 * (far > 1)} {(at[a] + at[b]) / 2} {x} {at[b]}"
            parts.append(f'<path d="{path}" fill="none" stroke="{color}" stroke-width="{width:.1f}"{dash}/>')
            middle = (x + bend + side * 44 * (far > 1)) / 2
            parts.append(text(middle + 4 * side, (at[a] + at[b]) / 2 + 4, f"{margin:g}", 11, QUIET))
    for name, y in at.items():
        parts += [f'<circle cx="210" cy="{y}" r="6" fill="{BAR}"/>', text(196, y + 4, name, 13, anchor="end")]
    return svg(460, 64 + ROW * TOP, title, parts)


def landscapes():
    """Return both losses of SCO's eq. (10) where ratings add up to zero, with their minima (SCO Figure 4)."""
    expected = json.loads((REPRODUCTIONS / "sco_figures" / "expected.json").read_text(encoding="utf-8"))
    votes, box, cell = expected["votes"], expected["box"], 8
    ballots = bp.Ballots.of([[[name] for name in vote.split()] for vote in votes], count=list(votes.values()))
    cells, side = cells_of(profile_of(ballots), "sco"), np.linspace(-box, box, 37)
    parts = []
    for k, (name, loss) in enumerate((("Fenchel-Young loss", fenchel_young_loss), ("sigmoid loss", sigmoid_loss))):
        plane = [(i, j) for i in range(len(side)) for j in range(len(side)) if abs(side[i] + side[j]) <= box + 1e-9]
        values = np.array([loss(np.array([side[i], side[j], -side[i] - side[j]]), cells, 1.0) for i, j in plane])
        share = (values - values.min()) / np.ptp(values)
        left, top = 40 + 380 * k, 50
        parts += [
            text(left, 30, name, 15),
            text(left, top + 38 * cell + 18, "rating of A, from -1.5 to 1.5", 11, QUIET),
        ]
        for (i, j), s in zip(plane, share, strict=True):
            shade = 250 - int(190 * (1 - s))
            x, y = left + cell * i, top + cell * (len(side) - 1 - j)
            fill = f'fill="rgb({shade},{shade + 3},255)"'
            parts.append(f'<rect x="{x}" y="{y}" width="{cell}" height="{cell}" {fill}/>')
        i, j = plane[int(values.argmin())]
        lowest = {"A": side[i], "B": side[j], "C": -side[i] - side[j]}
        x, y = left + cell * (i + 0.5), top + cell * (len(side) - 1 - j + 0.5)
        parts.append(f'<circle cx="{x}" cy="{y}" r="6" fill="none" stroke="{MARK}" stroke-width="2.5"/>')
        parts.append(text(left + 150, 30, f"minimum: {max(lowest, key=lowest.get)} first", 13, MARK))
    parts.append(text(18, 210, "B", 11, QUIET))
    return svg(800, 390, "Loss landscapes of SCO: the Fenchel-Young loss has A first, the sigmoid loss C", parts)


def posterior(shown=10):
    """Return the most probable rankings of ten agents with the printed skills (SCO Figure 5)."""
    expected = json.loads((REPRODUCTIONS / "sco_figures" / "expected.json").read_text(encoding="utf-8"))
    skill, rng = np.array(expected["skills"]), np.random.default_rng(0)
    names = [str(i) for i in range(len(skill))]
    played = [_matched(skill, rng) for _ in range(100)]
    orders = [[[names[i]] for i in who[np.argsort(-(skill[who] + rng.normal(0.0, 5.0, 4)))]] for who in played]
    rows = bp.robustness.sco_posterior(bp.Ballots.of(orders, agents=names), seed=0).rankings[:shown]
    truth = " > ".join(names[i] for i in np.argsort(-skill))
    most, parts = rows[0]["probability"], [text(16, 28, "Probability of rankings under SCO's loss", 15)]
    for k, row in enumerate(rows):
        y, width = 60 + 26 * k, 300 * row["probability"] / most
        fill = MARK if row["ranking"] == truth else BAR
        parts += [
            text(16, y, row["ranking"], 12),
            f'<rect x="280" y="{y - 12}" width="{width:.1f}" height="15" fill="{fill}"/>',
            text(286 + width, y, f"{100 * row['probability']:.1f} %", 12, QUIET),
        ]
    return svg(
        660, 66 + 26 * shown, "Bar chart of the most probable rankings; red is the true one, if it is shown", parts
    )


def seasons(path):
    """Return ranks of Formula One drivers by season, by Copeland (in the form of VasE Figures 9 and 10)."""
    rows = pq.read_table(path, columns=["session", "season", "race", "position", "driver"]).to_pylist()
    rows = [r for r in rows if r["session"] == "race" and r["season"] in SEASONS and str(r["position"]).isdigit()]
    drivers = sorted(set.intersection(*({r["driver"] for r in rows if r["season"] == s} for s in SEASONS)))
    ranks = {name: [] for name in drivers}
    for season in SEASONS:
        races = {}
        for r in rows:
            if r["season"] == season and r["driver"] in drivers:
                races.setdefault(str(r["race"]), []).append((int(r["position"]), r["driver"]))
        votes = bp.Ballots.of([[[name] for _, name in sorted(race)] for race in races.values()], agents=drivers)
        ranking = bp.rank(votes, "copeland")
        for name in drivers:
            ranks[name].append(ranking.rank(name))
    order = sorted(drivers, key=lambda name: (np.mean(ranks[name]), name))
    title = "Ranks of drivers by season, by Copeland"
    return bump(order, [str(s) for s in SEASONS], [ranks[name] for name in order], marked=order[:3], title=title)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    data = parser.parse_args().data
    battles = bp.read(data / "arena33k_judged" / "battles.parquet", where=["judge=human"])
    arena = bp.rank(battles, "ranked_pairs", matrix="raw", ties="drop", both_bad="drop")
    title = "Chatbot Arena: wins locked by ranked pairs, with margins"
    graph = locked_wins(arena, battles.pairs().margins().matrix, list(battles.agents), title)
    (HERE / "vase_figure_13.svg").write_text(graph, encoding="utf-8")
    scores = bp.read(data / "agentbench_230808" / "scores.csv")
    title = "AgentBench: wins locked by ranked pairs, with margins"
    graph = locked_wins(bp.rank(scores, "ranked_pairs"), profile_of(scores).margins.matrix, list(scores.agents), title)
    (HERE / "vase_figure_11.svg").write_text(graph, encoding="utf-8")
    (HERE / "sco_figure_4.svg").write_text(landscapes(), encoding="utf-8")
    (HERE / "sco_figure_5.svg").write_text(posterior(), encoding="utf-8")
    save_picture(seasons(data / "f1_results" / "results.parquet"), HERE / "vase_figure_9.svg")
