"""A further term of the variance of means, such as that of tasks an agent lacks or of its runs, with degrees of freedom."""

from typing import NamedTuple

import numpy as np

from beatpath._arrays import Floats


class AddedVariance(NamedTuple):
    """Variance added to each mean, (n,), its degrees of freedom, and the covariance added between means, (n, n)."""

    variance: Floats
    df: Floats
    between: Floats | float = 0.0

    def plus(self, other: "AddedVariance") -> "AddedVariance":
        """Return the sum of two independent terms, with Satterthwaite's degrees of freedom."""
        total = self.variance + other.variance
        squares = self.variance**2 / self.df + other.variance**2 / other.df
        df = np.divide(total**2, squares, out=np.full(len(total), np.inf), where=squares > 0)
        return AddedVariance(total, df, self.between + other.between)

    def degrees(self, seen: Floats, df: Floats) -> Floats:
        """Return degrees of freedom of means whose variance is this and `seen`, which has `df`."""
        return _satterthwaite(seen, df, self.variance, self.variance**2 / self.df)

    def degrees_of_differences(self, seen: Floats, df: Floats) -> Floats:
        """Return the same for all differences, (n, n), with those of means on the diagonal."""
        apart, more = of_two(self.variance), of_two(self.variance, -2 * self.between)
        # the same agents link the tasks that two others lack, and all show how runs vary: the variances are not two estimates but one
        roots = of_two(self.variance / np.sqrt(self.df))
        return _satterthwaite(seen, df, more, (roots * more / np.maximum(apart, 1e-300)) ** 2)

    def covariance(self) -> Floats:
        """Return what is added to the covariance of all means, (n, n)."""
        return np.diag(self.variance) + self.between


def of_two(own: Floats, joint: Floats | float = 0.0) -> Floats:
    """Return ``own[i] + own[j] + joint``, (n, n), and `own` on the diagonal."""
    full = np.add.outer(own, own) + joint
    np.fill_diagonal(full, own)
    return np.asarray(full)


def _satterthwaite(df_observed: Floats, df: Floats, more: Floats, squares: Floats) -> Floats:
    """Return Satterthwaite's degrees of freedom of a sum of variances; `squares` is ``v**2 / df`` of the second."""
    return np.where(more > 0, (df_observed + more) ** 2 / np.maximum(df_observed**2 / df + squares, 1e-300), df)
