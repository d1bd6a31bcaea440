"""Linear programs by HiGHS, with arrays in and out.

A process can load only one build of HiGHS; OR-Tools, for example, brings another. So where `ortools` is installed the build inside
scipy is used, which stands in nobody's way, and `highspy` only where nothing else will do.
"""

import sys
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import numpy as np
from scipy.sparse import csc_array

from beatpath._arrays import Floats
from beatpath._errors import DataError, UsageError


def highs() -> ModuleType | None:
    """The module `highspy`, or None if another build of HiGHS in this process blocks it, or would be blocked by it."""
    return None if "highspy" not in sys.modules and find_spec("ortools") else _loaded()


def _loaded() -> ModuleType | None:
    try:
        import highspy
    except ImportError:
        return None
    return highspy


def highs_alone(what: str) -> ModuleType:
    """The module `highspy`, or an error that says what needs it and what to do."""
    module = _loaded()
    if module is None:
        raise UsageError(
            f"{what} needs HiGHS, which cannot be loaded in this process: another library has loaded a build of its own, as "
            "`ortools` does. Run beatpath in a process of its own, for instance from the command line."
        )
    return module


DUAL, PRIMAL = 1, 4  # HiGHS' numbers of the simplex strategies
LIMIT = 2**31 - 1  # effectively no limit on iterations
# algorithms and tolerances, tried in turn
ATTEMPTS = ((DUAL, 1e-10), (PRIMAL, 1e-10), (DUAL, 1e-9), (PRIMAL, 1e-7), (DUAL, 1e-7))


def linear_program(
    cost: Floats, matrix: Floats | csc_array, low: Floats, high: Floats, *, x_low: Floats, x_high: Floats
) -> tuple[Floats, Floats]:
    r"""Minimize :math:`c^\top x` subject to :math:`l \le Ax \le u` and bounds on *x*, by the simplex method.

    Constraints hold to 1e-10 or, if HiGHS does not reach that, to 1e-9 or 1e-7. Degenerate programs can delay the
    dual simplex for very long, so every attempt but the last has a limit, and the primal simplex is tried next.

    Parameters
    ----------
    cost : (n,) float
        The objective.
    matrix : (k, n) float, sparse or not
        The constraints.
    low, high : (k,) float
        Bounds of the constraints, possibly infinite.
    x_low, x_high : (n,) float
        Bounds of the variables.

    Returns
    -------
    x : (n,) float
        An optimal vertex.
    dual : (k,) float
        The dual value of every constraint.

    Examples
    --------
    >>> one, inf = np.ones(2), np.full(2, np.inf)
    >>> x, dual = linear_program(np.array([1.0, 2.0]), one[None], one[:1], inf[:1], x_low=0 * one, x_high=inf)
    >>> x, dual
    (array([1., 0.]), array([1.]))
    """
    highspy, matrix = highs(), csc_array(matrix)
    if highspy is None:
        return _by_scipy(cost, matrix, low, high, x_low, x_high)
    model = highspy.HighsLp()
    model.num_row_, model.num_col_ = matrix.shape
    model.col_cost_, model.col_lower_, model.col_upper_ = cost, x_low, x_high
    model.row_lower_, model.row_upper_ = low, high
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = matrix.indptr.astype(np.int32)
    model.a_matrix_.index_ = matrix.indices.astype(np.int32)
    model.a_matrix_.value_ = matrix.data

    solver: Any = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("solver", "simplex")
    solver.passModel(model)
    most = 1000 + 10 * sum(matrix.shape)
    for strategy, tolerance in ATTEMPTS:
        solver.clearSolver()
        solver.setOptionValue("simplex_strategy", strategy)
        solver.setOptionValue("primal_feasibility_tolerance", tolerance)
        solver.setOptionValue("dual_feasibility_tolerance", tolerance)
        solver.setOptionValue("simplex_iteration_limit", LIMIT if (strategy, tolerance) == ATTEMPTS[-1] else most)
        solver.run()
        if solver.getModelStatus() == highspy.HighsModelStatus.kOptimal:
            solution = solver.getSolution()
            return np.array(solution.col_value), np.array(solution.row_dual)
    how = solver.modelStatusToString(solver.getModelStatus())
    raise DataError(f"a linear program of {len(cost):,} variables must have an optimum; HiGHS ended with: {how}.")


def _by_scipy(
    cost: Floats, matrix: csc_array, low: Floats, high: Floats, x_low: Floats, x_high: Floats
) -> tuple[Floats, Floats]:
    """The same by SciPy's own HiGHS, which conflicts with no other build.

    Constraints are passed as ``<=``, with lower bounds negated.
    """
    from scipy.optimize import linprog
    from scipy.sparse import vstack

    above, below = np.isfinite(high), np.isfinite(low)
    rows = vstack((matrix[above], -matrix[below]))
    limits = np.concatenate((high[above], -low[below]))
    solution = linprog(cost, A_ub=rows, b_ub=limits, bounds=np.column_stack((x_low, x_high)), method="highs-ds")
    if solution.x is None or solution.status != 0:
        raise DataError(
            f"a linear program of {len(cost):,} variables must have an optimum; HiGHS ended with: {solution.message}"
        )
    dual = np.zeros(len(low))
    dual[above] += solution.ineqlin.marginals[: above.sum()]
    dual[below] -= solution.ineqlin.marginals[above.sum() :]
    return solution.x, dual
