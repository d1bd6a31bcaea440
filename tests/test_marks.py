"""Which tests run when: grids keep representatives of every row and column, and the lists name what exists."""

import ast
from types import SimpleNamespace

import pytest

from helpers.paths import TESTS


@pytest.fixture(scope="module")
def conftest(request):
    return next(
        plugin
        for plugin in request.config.pluginmanager.get_plugins()
        if getattr(plugin, "__file__", None) == str(TESTS / "conftest.py")
    )


def functions():
    """The names of all test functions."""
    for path in TESTS.rglob("test_*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        yield from (node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def test_every_grid_that_is_thinned_exists(conftest):
    assert set(conftest.GRIDS) <= set(functions())


class Cell:
    """What the hook asks of a test."""

    def __init__(self, name, path=TESTS / "test_marks.py", **indices):
        self.originalname, self.path, self.marks = name, path, []
        self.callspec = SimpleNamespace(indices=indices)

    def add_marker(self, mark):
        self.marks.append(mark.name)

    def get_closest_marker(self, name):
        return None


@pytest.mark.parametrize("n_columns", [40, 42, 45])
def test_a_thinned_grid_keeps_every_row_and_every_column(conftest, n_columns):
    name, n_rows = "test_a_function_answers_or_says_why_not", 26
    cells = [Cell(name, row=row, column=column) for row in range(n_rows) for column in range(n_columns)]
    conftest.pytest_collection_modifyitems(cells)
    everyday = [cell.callspec.indices for cell in cells if "nightly" not in cell.marks]
    assert len(everyday) == pytest.approx(len(cells) / conftest.GRIDS[name], rel=0.02)
    assert {cell["row"] for cell in everyday} == set(range(n_rows))
    assert {cell["column"] for cell in everyday} == set(range(n_columns))


def test_a_file_on_the_list_is_slow_and_others_are_not(conftest):
    listed = TESTS / min(conftest.SLOW_FILES)
    cells = [Cell("test_x", listed), Cell("test_x")]
    conftest.pytest_collection_modifyitems(cells)
    assert [cell.marks for cell in cells] == [["slow"], []]
