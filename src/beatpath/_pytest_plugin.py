"""The pytest plugin: claims that tests made with `beatpath.claim` are printed with a failed test, and listed at the end."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest

PROPERTY = "beatpath claim"  # in the reports of tests, also in JUnit XML and from workers of pytest-xdist


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[Any]:
    """Record the claims of a test."""
    sentences: list[str] = []
    handler, log = logging.Handler(), logging.getLogger("beatpath.claims")
    handler.emit = lambda record: sentences.append(record.getMessage())  # type: ignore[method-assign]
    level = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        return (yield)
    finally:
        log.removeHandler(handler)
        log.setLevel(level)
        item.user_properties += [(PROPERTY, one) for one in sentences]
        if sentences:
            item.add_report_section("call", "claims", "\n".join(sentences))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """List all claims with their verdicts."""
    reports = (one for some in terminalreporter.stats.values() for one in some if getattr(one, "when", "") == "call")
    sentences = [text for report in reports for name, text in report.user_properties if name == PROPERTY]
    if sentences:
        terminalreporter.section("claims")
        terminalreporter.write_line("\n".join(dict.fromkeys(sentences)))
