"""Files of answers for people to compare, some of them hostile."""

import json

HOSTILE = (
    "<script>window.hit = 1</script>",
    "<img src=x onerror='window.hit = 2'>",
    "![x](http://x.invalid/pixel.png) ![y](/api/vote/pair)",
    "[click](javascript:window.hit=3) [data](data:text/html,<script>window.hit=4</script>) <javascript:window.hit=5>",
    '[quote](https://x.invalid/"onmouseover="window.hit=6) [own](/api/vote/pair)',
    '```"><script>window.hit = 7</script>\n</code></pre><script>window.hit = 8</script>\n```',
    "<iframe srcdoc='<script>parent.hit = 9</script>'></iframe><svg onload='window.hit = 10'></svg>",
    "[ref]: javascript:window.hit=11\n[ref]\n\n&lt;script&gt;window.hit = 12&lt;/script&gt; \u202e right to left",
    "<style>body { display: none }</style><base href='http://x.invalid/'><form action='http://x.invalid/'><button>go</button></form>",
)


def write_answers(
    path, agents=("ada", "bob", "cyd"), prompts=("one?", "two?"), text=lambda agent, prompt: f"{agent} on {prompt}"
):
    """Write an answer of every agent to every prompt."""
    rows = [{"prompt": p, "agent": a, "answer": text(a, p)} for p in prompts for a in agents]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path
