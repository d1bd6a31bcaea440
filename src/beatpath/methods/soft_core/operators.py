r"""Soft tournament operators on numpy arrays and torch tensors: edges, soft extrema, reachability, cover, core scores.

Everything is written once, with the functions that numpy and torch share; what differs (gradients, recomputation
instead of storage, kernels on a CUDA device) is in the two modules that `backend` selects from. Arrays may have
leading dimensions, and each matrix is processed independently. Tensors keep their precision; arrays become float64.

There are three forms of reachability. The definition is *max-min*, the strength of the strongest path, and its
*smooth* form, eqs. (7)-(10) of Soft Tournament Equilibrium. *Noisy-or* treats paths as independent events; it gives
the matrix printed in that paper's Appendix H.1, and lets many weak paths add up to a strong one, which its section
4.3.1 warns of.

The sums of exponentials of products behind covers, :math:`\sum_b e^{x_{ab} y_{cb} / \gamma}`, come from an expansion
if the temperature allows one: a few matrix products, each with two more for its gradient, instead of :math:`n^3`
exponentials. Its terms cancel, so it uses double precision in any case. Otherwise, and on devices without double
precision, all exponentials are computed, some rows at a time.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache, partial, reduce
from importlib import import_module
from math import exp, log, prod
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev

from beatpath._errors import UsageError
from beatpath._validate import require_choice, require_number, require_whole

Array = Any  # a numpy array or a torch tensor; this module does not import torch
Product = Callable[[Array, Array], Array]  # a product of two matrices

# Forms of reachability, and their meaning.
REACH = {
    "max-min": "the strength of the strongest path, a path being as strong as its weakest edge",
    "smooth": "the same with soft minima and maxima, eqs. (7)-(10) of Soft Tournament Equilibrium",
    "noisy-or": "the chance that some path exists if paths were independent, as in its Appendix H.1",
}
ACCURACY = 1e-8  # accuracy of the soft violation, and so of all scores
FEW = 32  # most agents for which all exponentials are cheap
MOST_TERMS = 40  # most terms of an expansion; beyond, rounding errors exceed the gain


def backend(array: Array) -> Any:
    """Return the module for numpy arrays or torch tensors, by the type of the array."""
    tensor = type(array).__module__.partition(".")[0] == "torch"
    return import_module(f"beatpath.methods.{'differentiable.tensors' if tensor else 'soft_core.arrays'}")


def soft_majority_edge(P: Array, tau: float, *, weight: Array | None = None, present: Array | None = None) -> Array:
    r"""Return how strongly each agent has a majority over each other: soft edges.

    .. math::  D_\tau(a, b) = \sigma \Bigl( \frac{W_{ab} (P_{ab} - 1/2)}{\tau} \Bigr), \quad a \ne b; \qquad D_\tau(a, a) = 0,

    eq. (4) of Soft Tournament Equilibrium [1]_; the weights :math:`W` are those of its section F.3.

    Parameters
    ----------
    P : (n, n) float
        Probability that the row beats the column; the two of a pair sum to one. The diagonal is ignored.
    tau : float
        Edge temperature, positive.
    weight : (n, n) float, optional
        Weight of each comparison, symmetric; default one.
    present : (n, n) bool, optional
        False for pairs without an edge in either direction; default all True.

    Returns
    -------
    (n, n) float
        In [0, 1], with a zero diagonal.

    Examples
    --------
    >>> soft_majority_edge([[0.5, 0.7], [0.3, 0.5]], 0.05).round(3)
    array([[0.   , 0.982],
           [0.018, 0.   ]])

    References
    ----------
    .. [1] S. Alqithami, "Soft Tournament Equilibrium" (STE), 2026, arXiv:2604.04328, sections 4.2 and F.3.
    """
    require_temperature("tau", tau)
    on = backend(P)
    margin = on.as_array(P) - 0.5
    if weight is not None:
        margin = margin * on.as_array(weight)
    D = on.hollow(on.sigmoid(margin / tau))
    return D if present is None else on.xp.where(present, D, 0.0)


def softmin(values: Array, gamma: float, *, axis: int = -1) -> Array:
    r"""Return the normalized soft minimum of values along an axis.

    .. math::  \operatorname{smin}_\gamma(z_1, \dots, z_m) = -\gamma \log \Bigl( \frac1m \sum_i e^{-z_i / \gamma} \Bigr),

    eq. (5) of Soft Tournament Equilibrium. It is between the minimum and the mean, at most :math:`\gamma \log m`
    above the minimum, and approaches the minimum as :math:`\gamma` falls.

    Parameters
    ----------
    values : array
        At least one value along `axis`.
    gamma : float
        Temperature, positive.
    axis : int
        The axis that is reduced.

    Examples
    --------
    >>> softmin([0.0, 1.0], 0.1).round(4), softmin([0.3, 0.3], 0.1).round(4)
    (np.float64(0.0693), np.float64(0.3))
    """
    return -softmax(-backend(values).as_array(values), gamma, axis=axis)


def softmax(values: Array, gamma: float, *, axis: int = -1) -> Array:
    r"""Return the normalized soft maximum of values along an axis.

    .. math::  \operatorname{smax}_\gamma(z_1, \dots, z_m) = \gamma \log \Bigl( \frac1m \sum_i e^{z_i / \gamma} \Bigr),

    eq. (6) of Soft Tournament Equilibrium. It is between the mean and the maximum, at most :math:`\gamma \log m`
    below the maximum, and approaches the maximum as :math:`\gamma` falls.

    Parameters
    ----------
    values : array
        At least one value along `axis`.
    gamma : float
        Temperature, positive.
    axis : int
        The axis that is reduced.

    Examples
    --------
    >>> softmax([0.0, 1.0], 0.1).round(4), softmax([0.3, 0.3], 0.1).round(4)
    (np.float64(0.9307), np.float64(0.3))
    """
    require_temperature("gamma", gamma)
    on = backend(values)
    z = on.as_array(values)
    return on.scaled_logsumexp(z, gamma, axis) - gamma * log(z.shape[axis])


def soft_top_cycle(R: Array, gamma: float) -> Array:
    r"""Return the soft Top Cycle scores: the soft minimum of each agent's reachability of all others.

    .. math::  t_\tau(a) = \operatorname{smin}_\gamma \{ R_\tau(a, b) : b \ne a \},

    eq. (11) of Soft Tournament Equilibrium [1]_.

    Parameters
    ----------
    R : (n, n) float
        Reachability, in [0, 1]; the diagonal is ignored.
    gamma : float
        Temperature, positive; for its limit at zero see `widest_reach`.

    Returns
    -------
    (n,) float
        In [0, 1]; near one for members of the Top Cycle. A single agent has score 1.

    Examples
    --------
    >>> soft_top_cycle([[0.0, 0.98], [0.02, 0.0]], 0.05)
    array([0.98, 0.02])

    References
    ----------
    .. [1] S. Alqithami, "Soft Tournament Equilibrium" (STE), 2026, arXiv:2604.04328, section 4.3.2.
    """
    on = backend(R)
    R = on.as_array(R)
    return on.xp.ones_like(R[..., 0]) if R.shape[-1] == 1 else softmin(others(R), gamma)


def others(matrix: Array) -> Array:
    """Return each row without its diagonal entry.

    >>> others(np.array([[0, 1, 2], [3, 0, 4], [5, 6, 0]]))
    array([[1, 2],
           [3, 4],
           [5, 6]])
    """
    n, lead = matrix.shape[-1], matrix.shape[:-2]
    flat = matrix.reshape(*lead, n * n)  # after its first entry, rows of n others and one diagonal entry
    return flat[..., 1:].reshape(*lead, n - 1, n + 1)[..., :-1].reshape(*lead, n, n - 1)


def reachability(
    D: Array, *, reach: str = "max-min", gamma: float | None = None, max_length: int | None = None
) -> Array:
    r"""Return how strongly each agent reaches each other along edges of strength `D`.

    Parameters
    ----------
    D : (n, n) float
        Strength of the edge from row to column, in [0, 1], with a zero diagonal.
    reach : {"max-min", "smooth", "noisy-or"}
        The form of reachability.
    gamma : float, optional
        Temperature of "smooth", positive.
    max_length : int, optional
        Maximum number of edges of a path, K; default n - 1, which includes all paths.

    Returns
    -------
    (n, n) float
        In [0, 1], with a zero diagonal.

    Examples
    --------
    >>> D = np.array([[0.0, 0.9, 0.1], [0.1, 0.0, 0.8], [0.9, 0.2, 0.0]])
    >>> reachability(D)
    array([[0. , 0.9, 0.8],
           [0.8, 0. , 0.8],
           [0.9, 0.9, 0. ]])
    >>> reachability(D, reach="noisy-or").round(3)
    array([[0.   , 0.902, 0.748],
           [0.748, 0.   , 0.802],
           [0.902, 0.848, 0.   ]])

    Notes
    -----
    Max-min costs one pass, :math:`O(n^3)`, for all lengths. The other two need one product per length, :math:`O(K
    n^3)`, and stop early if a length repeats the one before. A normalized smooth product may be :math:`\gamma \log n`
    below the hard one at every length, so long paths fade, and with many lengths so does their soft maximum.
    """
    require_reach(reach, max_length)
    on = backend(D)
    D = on.as_array(D)
    longest = max(1, min(max_length or D.shape[-1], D.shape[-1] - 1))
    if reach == "max-min":
        return on.strongest_path(D, longest)
    if reach == "smooth":
        if gamma is None:
            raise UsageError("`gamma` must be given for the smooth form of reachability; got None. 0.05 is usual.")
        return smooth_reachability(D, gamma, longest)
    return noisy_or_reachability(D, longest)


def smooth_reachability(D: Array, gamma: float, max_length: int) -> Array:
    r"""Return the soft maximum over path lengths up to K of smooth max-min products.

    .. math::  R(a, b) = \operatorname{smax}_\gamma \{ Q^{(k)}(a, b) : k \le K \}, \qquad Q^{(1)} = D, \quad
               Q^{(k)} = Q^{(k-1)} \otimes_\gamma D,

    eqs. (9) and (10) of Soft Tournament Equilibrium.

    >>> smooth_reachability(np.array([[0.0, 1.0], [0.0, 0.0]]), 0.1, 1)
    array([[0., 1.],
           [0., 0.]])
    """
    require_temperature("gamma", gamma)
    on = backend(D)
    powers = _walk_powers(D, max_length, lambda X, Y: smooth_product(X, Y, gamma))
    total = reduce(on.xp.logaddexp, (Q / gamma + log(times) for Q, times in powers))
    return on.hollow(gamma * (total - log(max_length)))


def smooth_product(X: Array, Y: Array, gamma: float) -> Array:
    r"""Return the smooth max-min product.

    .. math::  (X \otimes_\gamma Y)_{ab} = \operatorname{smax}_\gamma \{ \operatorname{smin}_\gamma(X_{ac}, Y_{cb}) : c \}
               = \gamma \log \frac1n \sum_c \frac{2}{e^{-X_{ac}/\gamma} + e^{-Y_{cb}/\gamma}},

    eq. (7) of Soft Tournament Equilibrium, for entries in [0, 1]. In the second form the logarithms and exponentials
    of the two soft extrema cancel, so a product needs one division per c, and :math:`n^2` exponentials.

    >>> smooth_product(np.array([[0.2, 0.9]]), np.array([[0.7], [0.8]]), 0.001).round(3)
    array([[0.8]])
    """
    on, n = backend(X), X.shape[-1]
    if 1 / gamma + log(2 * n) < log(on.xp.finfo(X.dtype).max):  # neither an exponential nor their sum overflows
        plain = partial(by_rows, lambda u, v: (1 / (u[..., None] + v[..., None, :, :])).sum(-2))
        total = on.reciprocal_sums(plain, on.xp.exp(-X / gamma), on.xp.exp(-Y / gamma))
        return gamma * on.xp.log(2 * total / n)

    def strongest_of_weaker(x: Array, y: Array) -> Array:
        weaker = gamma * (log(2) - on.xp.logaddexp(-x[..., None] / gamma, -y[..., None, :, :] / gamma))
        return softmax(weaker, gamma, axis=-2)

    return by_rows(strongest_of_weaker, X, Y)


def noisy_or_reachability(D: Array, max_length: int) -> Array:
    r"""Return the probability that some path of at most K edges exists, if paths were independent.

    .. math::  R = 1 - \prod_{k \le K} (1 - Q^{(k)}), \qquad Q^{(1)} = D, \quad
               Q^{(k)}_{ab} = 1 - \prod_c (1 - Q^{(k-1)}_{ac} D_{cb})

    >>> noisy_or_reachability(np.array([[0.0, 0.5], [0.5, 0.0]]), 3)[0].tolist()  # 1 - (1 - 0.5) (1 - 0.5^3)
    [0.0, 0.5625]
    """
    on = backend(D)
    none = on.xp.ones_like(D)
    for Q, times in _walk_powers(D, max_length, noisy_or_product):
        none = none * (1 - Q) ** times
    return on.hollow(1 - none)


def noisy_or_product(X: Array, Y: Array) -> Array:
    r"""Return :math:`1 - \prod_c (1 - X_{ac} Y_{cb})`, with every intermediate agent as an independent event.

    >>> noisy_or_product(np.array([[0.5, 0.5]]), np.array([[1.0], [0.5]]))
    array([[0.625]])
    """

    def no_chance(x: Array, y: Array) -> Array:
        return (1 - x[..., None] * y[..., None, :, :]).prod(-2)

    return 1 - backend(X).complement_products(partial(by_rows, no_chance), X, Y)


def by_rows(work: Product, X: Array, Y: Array) -> Array:
    """Return ``work(X, Y)``, which maps rows of `X` and the whole of `Y` to as many rows, computed in parts.

    If gradients are needed, each part is recomputed for them instead of being stored.
    """
    on = backend(X)
    rows = max(1, on.TOGETHER // max(1, prod(Y.shape)))
    parts = [on.recomputed(work)(X[..., at : at + rows, :], Y) for at in range(0, X.shape[-2], rows)]
    return on.xp.concatenate(parts, axis=-2)


def _walk_powers(D: Array, max_length: int, product: Product) -> Iterator[tuple[Array, int]]:
    """The products of every length, with multiplicities: one, or all remaining lengths if it repeats itself.

    If gradients are needed, every length is computed, since equal products may have different gradients.
    """
    Q = D
    for k in range(1, max_length):
        new = product(Q, D)
        if not getattr(D, "requires_grad", False) and bool((new == Q).all()):
            yield Q, max_length - k + 1
            return
        yield Q, 1
        Q = new
    yield Q, 1


def soft_violation(D: Array, gamma: float) -> Array:
    r"""Return how surely some agent refutes that the row covers the column: beaten by the column, not by the row.

    .. math::  v_\tau(c, a) = \operatorname{smax}_{\gamma} \{ D_\tau(a, b) (1 - D_\tau(c, b)) : b \ne a, c \},

    eq. (12) of Soft Tournament Equilibrium [1]_; 0 when there is no other agent.

    Parameters
    ----------
    D : (n, n) float
        Strength of the edge from row to column, in [0, 1], with a zero diagonal.
    gamma : float
        Temperature, positive.

    Returns
    -------
    (n, n) float
        Row c, column a, with a zero diagonal; exact to 1e-8.

    Examples
    --------
    Among three agents one is left as a witness. The third, beaten by the first (0.9) and hardly by the second (0.1),
    refutes by 0.9 x 0.9 that the second covers the first.

    >>> D = np.array([[0.0, 0.2, 0.9], [0.8, 0.0, 0.1], [0.1, 0.9, 0.0]])
    >>> soft_violation(D, 0.05).round(2)
    array([[0.  , 0.01, 0.72],
           [0.81, 0.  , 0.02],
           [0.02, 0.72, 0.  ]])

    Notes
    -----
    With the diagonals of both factors at zero, the agents *a* and *c* themselves add a term of :math:`e^0 = 1` each,
    which is subtracted from the sum. The sums are those of `log_sum_exp_products`: matrix products instead of
    :math:`n^3` exponentials.

    References
    ----------
    .. [1] S. Alqithami, "Soft Tournament Equilibrium" (STE), 2026, arXiv:2604.04328, section 4.4.1.
    """
    require_temperature("gamma", gamma)
    on = backend(D)
    D = on.as_array(D)
    n = D.shape[-1]
    if n < 3:
        return on.xp.zeros_like(D)
    log_sum = log_sum_exp_products(D, on.hollow(1 - D), gamma, error=ACCURACY / (3 * gamma)).swapaxes(-1, -2)
    most = 1 / gamma + log(n - 2 + 2 * exp(-1 / gamma))  # every term is from 1 to e^(1/gamma), despite rounding
    log_sum = on.xp.clip(log_sum, log(n), most)
    return on.hollow(gamma * (log_sum + on.xp.log1p(-2 * on.xp.exp(-log_sum)) - log(n - 2)))


def soft_cover(D: Array, gamma: float) -> Array:
    r"""Return how surely the row covers the column.

    .. math::  \mathrm{cover}_\tau(c, a) = D_\tau(c, a) (1 - v_\tau(c, a)), \qquad \mathrm{cover}_\tau(a, a) = 0,

    eq. (13) of Soft Tournament Equilibrium.

    Parameters
    ----------
    D : (n, n) float
        Strength of the edge from row to column, in [0, 1], with a zero diagonal.
    gamma : float
        Temperature, positive.

    Examples
    --------
    Two agents: the winner covers the other.

    >>> soft_cover([[0.0, 0.9], [0.1, 0.0]], 0.05)
    array([[0. , 0.9],
           [0.1, 0. ]])
    """
    on = backend(D)
    return on.hollow(on.as_array(D) * (1 - soft_violation(D, gamma)))


def soft_uncovered_set(D: Array, gamma: float) -> Array:
    r"""Return the soft Uncovered Set scores: how surely no agent covers each one.

    .. math::  u_\tau(a) = 1 - \operatorname{smax}_\gamma \{ \mathrm{cover}_\tau(c, a) : c \ne a \},

    eqs. (14) and (15) of Soft Tournament Equilibrium.

    Parameters
    ----------
    D : (n, n) float
        Strength of the edge from row to column, in [0, 1], with a zero diagonal.
    gamma : float
        Temperature of both soft maxima, positive.

    Returns
    -------
    (n,) float
        In [0, 1]; near one for members of the Uncovered Set. A single agent has score 1.

    Examples
    --------
    In a cycle of three nobody covers anybody.

    >>> D = np.array([[0.0, 0.99, 0.01], [0.01, 0.0, 0.99], [0.99, 0.01, 0.0]])
    >>> soft_uncovered_set(D, 0.01).round(2)
    array([0.98, 0.98, 0.98])
    """
    cover = soft_cover(D, gamma)
    if cover.shape[-1] == 1:
        return backend(D).xp.ones_like(cover[..., 0])
    return 1 - softmax(others(cover.swapaxes(-1, -2)), gamma)


def log_sum_exp_products(X: Array, Y: Array, gamma: float, *, error: float) -> Array:
    r"""Return :math:`\log \sum_b e^{X_{ab} Y_{cb} / \gamma}` for all rows a of `X` and c of `Y`.

    Parameters
    ----------
    X, Y : (n, n) float
        Entries in [0, 1].
    gamma : float
        Temperature, positive.
    error : float
        Relative error that the sums may have.

    Returns
    -------
    (n, n) float
        Row a, column c.

    Examples
    --------
    >>> log_sum_exp_products(np.array([[0.0, 1.0]]), np.array([[1.0, 1.0]]), 1.0, error=1e-9).round(4)  # log(1 + e)
    array([[1.3133]])
    """
    on = backend(X)
    coefficients = expansion(gamma, error) if prod(X.shape) > FEW**2 else None
    expanded = None if coefficients is None else partial(by_expansion, gamma=gamma, coefficients=coefficients)
    return on.log_sum_exp_products(partial(by_exponentials, gamma=gamma), expanded, X, Y, gamma)


def by_exponentials(X: Array, Y: Array, gamma: float) -> Array:
    """Compute every exponential, some rows at a time."""
    on = backend(X)
    return by_rows(lambda x, y: on.scaled_logsumexp(x[..., None, :] * y[..., None, :, :], gamma, -1) / gamma, X, Y)


def by_expansion(X: Array, Y: Array, gamma: float, coefficients: tuple[float, ...]) -> Array:
    r"""Compute one matrix product per coefficient.

    With :math:`s = 2x - 1`, :math:`t = 2y - 1` and :math:`B = 1 / 4\gamma`,

    .. math::  e^{xy/\gamma} = e^{(x - 1/2)/2\gamma}\; e^{y/2\gamma}\; e^{B s t}, \qquad e^{B u} \approx \sum_{k < K} c_k u^k.
    """
    on = backend(X)
    Y = Y.swapaxes(-1, -2)
    left, right = on.xp.exp((X - 0.5) / (2 * gamma)), on.xp.exp(Y / (2 * gamma))
    s, t = 2 * X - 1, 2 * Y - 1
    total = (coefficients[0] * left) @ right
    for c in coefficients[1:]:
        left, right = left * s, right * t
        total = total + (c * left) @ right
    return on.xp.log(total)


@lru_cache(maxsize=256)
def expansion(gamma: float, error: float) -> tuple[float, ...] | None:
    """Return the fewest coefficients with a sufficient error, or None if no number suffices.

    >>> len(expansion(0.05, 1e-7)), expansion(0.001, 1e-7)
    (17, None)
    """
    B = 1 / (4 * gamma)
    for terms in range(max(2, int(0.8 * B) + 1), MOST_TERMS + 1):
        coefficients, expanded = exponential_coefficients(B, terms)
        if expanded <= error:
            return coefficients
    return None


@lru_cache(maxsize=256)
def exponential_coefficients(B: float, terms: int) -> tuple[tuple[float, ...], float]:
    r"""Return :math:`c_k` with :math:`e^{Bu} \approx \sum_{k < K} c_k u^k` on [-1, 1], and their relative error.

    Least squares of the relative error on Chebyshev points; the error is the largest on a grid twenty times as fine,
    plus what rounding may add as the terms cancel.

    >>> coefficients, error = exponential_coefficients(1.0, 8)
    >>> error < 1e-6, round(coefficients[1], 4)
    (True, 1.0)
    """
    u = np.cos(np.pi * (np.arange(8 * terms) + 0.5) / (8 * terms))
    fitted = np.linalg.lstsq(chebyshev.chebvander(u, terms - 1) * np.exp(-B * u)[:, None], np.ones(len(u)), rcond=None)[
        0
    ]
    coefficients = chebyshev.cheb2poly(fitted)
    coefficients = np.append(coefficients, np.zeros(terms - len(coefficients)))
    fine = np.cos(np.linspace(0, np.pi, 160 * terms))
    wrong = np.abs(np.polynomial.polynomial.polyval(fine, coefficients) * np.exp(-B * fine) - 1).max()
    rounding = np.finfo(float).eps * np.abs(coefficients).sum() * np.exp(B)
    return tuple(coefficients.tolist()), float(1.05 * wrong + 4 * rounding)


def require_reach(reach: str, max_length: int | None) -> None:
    """Raise an error for an unknown form of reachability and for a length below one.

    >>> require_reach("maxmin", None)
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `reach` must be one of max-min, smooth, noisy-or; got 'maxmin'. Did you mean 'max-min'?
    """
    require_choice("reach", reach, REACH)
    if max_length is not None:
        require_whole("max_length", max_length)


def require_temperature(name: str, value: float) -> None:
    """Raise an error unless a temperature is finite and positive.

    >>> require_temperature("tau", 0.0)
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `tau` must be a temperature above 0; got '0.0'. Smaller is sharper: 0.05 is usual.
    """
    require_number(name, value, "a temperature above 0", above=0, hint="Smaller is sharper: 0.05 is usual.")
