"""Names that would act if a page, a table or a terminal let them."""

from beatpath import Battles, Factor

NAMES = (
    "<script>window.hit = 1</script>",
    "</script><script>window.hit = 2</script>",
    '"><img src=x onerror="window.hit = 3">',
    "' onmouseover='window.hit = 4' x='",
    "<!-- <script>",
    '=HYPERLINK("http://x.invalid")',
    "@SUM(1)",
    "red \x1b[31m \u202e\u2028\n line",
    "{{ 7 * 7 }}{% raw %}",
    "&lt;b&gt;&amp;",
    "x" * 300,
    "\ud800 lone",
)


def hostile_battles() -> Battles:
    """Everyone meets everyone twenty times; earlier names win more."""
    rows, tasks = [], []
    for i, a in enumerate(NAMES):
        for j, b in enumerate(NAMES[:i]):
            for k in range(20):
                rows.append((a, b, 1.0 if k < 6 + (i + j) % 5 else 0.0))
                tasks.append("</script><b>" if k % 2 else "plain")
    return Battles.of(rows, factors={"task": Factor.of(tasks)})
