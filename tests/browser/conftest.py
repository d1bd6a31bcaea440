"""One browser for each file of tests, and pages that are closed after each test."""

import pytest

from helpers.browsing import CHROMIUM


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine")
    with playwright.sync_playwright() as started:
        one = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield one
        one.close()


@pytest.fixture
def opening(browser):
    """Opens pages of a kind, ``opening(Opened, url, width=390)``, and closes all of them in the end."""
    seen = []

    def open_page(kind, url, **how):
        seen.append(kind(browser, url, **how))
        return seen[-1]

    yield open_page
    for one in seen:
        one.context.close()
