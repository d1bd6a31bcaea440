"""Make the pictures of the README and the documentation: python docs/pictures/make.py."""

from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import beatpath as bp
from beatpath.reports.figures import save_picture


def trade_offs():
    """Return quality and cost of four simulated runs on 300 items; the third is worse and dearer than the second."""
    rng = np.random.default_rng(0)
    ease, length = rng.normal(size=(2, 300))
    with TemporaryDirectory() as folder:
        runs = {}
        for name, skill, price in (("large", 1.4, 3.0), ("medium", 1.1, 1.0), ("old", -0.2, 1.6), ("small", 0.2, 0.2)):
            right = rng.random(300) < 1 / (1 + np.exp(-skill - ease))
            prices = price * np.exp(0.5 * length + 0.3 * rng.normal(size=300)) / 100
            runs[name] = Path(folder, f"{name}.csv")
            rows = [f"q{i},{int(x)},{p:.5f}" for i, (x, p) in enumerate(zip(right, prices, strict=True))]
            runs[name].write_text("\n".join(["id,correct,price", *rows]) + "\n")
        return bp.compare(runs, cost="price")


# Colors of the picture of the README: background, text, quiet text, lines, bars, and bars of agents that may be first.
LIGHT = ("#ffffff", "#1d2126", "#6a7079", "#e3e6ea", "#9fb6d1", "#1a5899")
DARK = ("#0d1117", "#e6edf3", "#9198a1", "#2a3038", "#3f5873", "#79b8ff")
ROWS, HEIGHT = 12, 24  # agents shown, and pixels per row


def boards(resolution, colors):
    """Return an SVG: a board as it is usually printed, beside the ranks and the cycle that the data support."""
    back, ink, quiet, line, bar, first = colors
    ranks, n = resolution.ranks, len(resolution.agents)
    order = np.argsort(-ranks.score, kind="stable")[:ROWS]
    may = set(ranks.top(1))
    below = 96 + ROWS * HEIGHT

    def text(x, y, words, size=13, fill=ink, anchor="start", weight=400):
        tags = f'x="{x}" y="{y}" font-size="{size}" fill="{fill}" text-anchor="{anchor}" font-weight="{weight}"'
        return f"<text {tags}>{escape(words)}</text>"

    def place(rank):
        return 392 + 400 * (rank - 1) / (n - 1)

    parts = [
        text(24, 36, "As a leaderboard prints it", 17, weight=600),
        text(24, 60, f"1 to {n}, by mean win rate", fill=quiet),
        text(316, 36, f"What the data can show: {len(may)} may be first", 17, weight=600),
        text(316, 60, "Possible ranks (95 %). The first three beat each other in a cycle.", fill=quiet),
        *(text(place(k), 84, str(k), 11, quiet, "middle") for k in (1, 5, 10, 15, 20, 25, n)),
        *(f'<path d="M{place(k):.1f} 90V{below - 4}" stroke="{line}"/>' for k in (1, 5, 10, 15, 20, 25, n)),
        f'<path d="M290 20V{below + 16}" stroke="{line}"/>',
    ]
    for row, i in enumerate(order.tolist()):
        name, y = resolution.agents[i], 106 + row * HEIGHT
        best, worst, own = int(ranks.best[i]), int(ranks.worst[i]), int(ranks.rank[i])
        color = first if name in may else bar
        parts += [
            text(44, y, f"{row + 1}", fill=quiet, anchor="end"),
            text(60, y, name, weight=600 if name in may else 400),
            text(250, y, f"{100 * ranks.score[i]:.1f} %", anchor="end"),
            text(316, y, name, weight=600 if name in may else 400),
            f'<path d="M{place(best) - 3:.1f} {y - 4.5}H{place(worst) + 3:.1f}" stroke="{color}" stroke-width="9" stroke-linecap="round"/>',
            f'<circle cx="{place(own):.1f}" cy="{y - 4.5}" r="3" fill="{back}"/>',
        ]
    parts += [
        text(60, below + 10, f"… {n - ROWS} more", fill=quiet),
        text(316, below + 10, f"… {n - ROWS} more", fill=quiet),
    ]
    label = f"A leaderboard of {n} simulated agents printed from 1 to {n}, beside the ranks that the data allow"
    size = f'width="860" height="{below + 30}" viewBox="0 0 860 {below + 30}"'
    font = "font-family=\"system-ui, 'Liberation Sans', Arial, sans-serif\""
    start = f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{label}" {size} {font}>'
    return f'{start}<rect width="100%" height="100%" rx="8" fill="{back}"/>{"".join(parts)}</svg>\n'


if __name__ == "__main__":
    resolved = bp.resolve(bp.example())
    for theme, palette in (("light", LIGHT), ("dark", DARK)):
        Path(__file__).with_name(f"boards_{theme}.svg").write_text(boards(resolved, palette), encoding="utf-8")
    figures = bp.report(bp.example()).figures()
    for figure, file in (("rank_intervals", "ranks"), ("majorities", "cycle"), ("cliques", "cliques")):
        save_picture(figures[figure], Path(__file__).with_name(f"{file}.svg"))
    bp.plot(trade_offs()).save(Path(__file__).with_name("trade_offs.svg"))
