"""What axe-core finds on a page that is open in a browser."""

import pytest


def barriers(page, **options):
    """Return the serious and critical findings, each with the first element it is about."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    results = axe.Axe().run(page, options=options or None).response
    assert results["passes"], "axe looked at nothing"
    return [
        (one["id"], one["impact"], one["nodes"][0]["html"][:200], one["nodes"][0].get("failureSummary"))
        for one in results["violations"]
        if one["impact"] in ("serious", "critical")
    ]
