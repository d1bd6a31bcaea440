"""Comments on the pull request of the build: puts up the answer, or replaces that of an earlier run.

Reads BEATPATH_BODY (a file with the answer in Markdown), BEATPATH_ARTIFACT (the artifact's name, which keeps the comments of several
steps apart), BEATPATH_URL (its address) and BEATPATH_TOKEN, and what GitHub sets. Outside of pull requests it does nothing. It always ends
with 0: a build from a fork may not comment, and has its answer in the job summary.
"""

import json
import os
import sys
import urllib.request
from pathlib import Path

LONGEST = 60_000  # characters; GitHub takes 65,536 in a comment
PAGE = 100  # comments a page, the most that GitHub gives


def body_of(text: str, marker: str, url: str) -> str:
    """Return the comment: a marker that nobody sees, the answer, cut at a line if it is too long, and where the report is."""
    if len(text) > LONGEST:
        text = (
            text[:LONGEST].rpartition("\n")[0] + "\n\nThe answer is longer than a comment may be, and was cut here.\n"
        )
    return f"{marker}\n{text}" + (f"\n[Report]({url})\n" if url else "")


def call(method: str, path: str, content: object = None) -> list | dict:
    """Call GitHub's API of this repository."""
    request = urllib.request.Request(
        f"{os.environ['GITHUB_API_URL']}/repos/{os.environ['GITHUB_REPOSITORY']}/{path}",
        data=None if content is None else json.dumps(content).encode(),
        method=method,
        headers={
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {os.environ['BEATPATH_TOKEN']}",
            "Content-Type": "application/json",
        },
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def earlier(number: int, marker: str) -> int | None:
    """Return the comment of an earlier run: one that begins with the marker, and that no person wrote."""
    page, comments = 1, [{}] * PAGE
    while len(comments) == PAGE:
        comments = call("GET", f"issues/{number}/comments?per_page={PAGE}&page={page}")
        for one in comments:
            if (one["user"] or {}).get("type") == "Bot" and (one["body"] or "").startswith(marker):
                return one["id"]
        page += 1
    return None


def main() -> None:
    """Comment, or say why not."""
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    if "pull_request" not in event:
        return
    number = int(event["pull_request"]["number"])
    marker = f"<!-- beatpath {json.dumps(os.environ['BEATPATH_ARTIFACT']).replace('--', '')} -->"
    text = Path(os.environ["BEATPATH_BODY"]).read_text(encoding="utf-8")
    body = {"body": body_of(text, marker, os.environ["BEATPATH_URL"])}
    try:
        there = earlier(number, marker)
        if there is None:
            call("POST", f"issues/{number}/comments", body)
        else:
            call("PATCH", f"issues/comments/{there}", body)
    except (OSError, ValueError) as error:  # of HTTP and of the network, or no JSON
        sys.stdout.write(
            f"::notice title=beatpath::No comment was written ({type(error).__name__} {getattr(error, 'code', '')}). The job needs "
            "`pull-requests: write`, which builds of forks do not get. The job summary has the answer.\n"
        )


if __name__ == "__main__":
    main()
