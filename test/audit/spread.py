"""Bounds what a release spends from below by how wide the noise in its tables is.

An event tells little of noise: whatever its distribution, thousands of releases are needed before
its probabilities bound epsilon nearly (bound.py). That noise has the distribution that its proof
names is tested apart (audit.py, "the noise of ... cells"). Given the distribution, only its width is
unknown. It is the same in all cells of a table, in all releases: a few hundred of them tell it to a
fifth.

If the noise were wider than so much, all noise together would be as small as it was with probability
alpha at most (Chernoff). So it is not wider, and two tables that are so far apart cost at least so
much: of Laplace noise epsilon, of Gaussian noise rho.
"""
import math
from collections import defaultdict

import law

ALPHA = 1e-7  # of all tables of a case together


def laplace_transform(e0, t):
    """ln E exp(-t |Z|) of the discrete Laplace distribution."""
    a, b = math.exp(-e0), math.exp(-e0 - t)
    return math.log((1 - a) / (1 + a) * (1 + 2 * b / (1 - b)))


def gaussian_transform(precision, t):
    """ln E exp(-t Z^2) of the discrete Gaussian distribution."""
    span = int(9 / math.sqrt(precision)) + 2

    def total(rate):
        return 1 + 2 * math.fsum(math.exp(-rate * k * k) for k in range(1, span))
    return math.log(total(precision / 2 + t) / total(precision / 2))


def log_tail(transform, precision, total, n):
    """An upper bound of the logarithm of the probability that noise of this precision adds up to
    `total` or less in n cells: the least over all t of a convex function."""
    low, high = 0.0, 4 * precision
    for _ in range(24):
        a, b = low + 0.382 * (high - low), high - 0.382 * (high - low)
        if a * total + n * transform(precision, a) < b * total + n * transform(precision, b):
            high = b
        else:
            low = a
    return min(0.0, low * total + n * transform(precision, low))


def precision_lower(noise, gaussian, alpha):
    """A lower bound of 1 / variance, or of epsilon / sensitivity, of noise in cells."""
    transform = gaussian_transform if gaussian else laplace_transform
    n, total = len(noise), sum(value * value if gaussian else abs(value) for value in noise)
    low, high = 1e-3, 8.0
    for _ in range(20):
        middle = math.sqrt(low * high)
        if log_tail(transform, middle, total, n) <= math.log(alpha):
            low = middle
        else:
            high = middle
    return low


def kind_of(table):
    """Noise of tables of one kind has one width."""
    return tuple(table.attributes), table.epsilon, table.rho, table.sensitivity, table.l2_squared


def loss_lower(case, gaussian):
    """A lower bound of the epsilon, or rho, that a release spends on tables. Those whose small cells
    are not told count nothing."""
    noise, apart = defaultdict(list), {}
    measured = [[(kind_of(table), table) for table in released.tables
                 if table.attributes and table.dense and (table.noise == law.GAUSSIAN) == gaussian]
                for released in case.models[1]]
    for released, tables in zip(case.models[1], measured):
        for kind, table in tables:
            exact = [case.exact(table, released.attributes, side) for side in (0, 1)]
            noise[kind] += [value - exact[1][codes] for codes, value in table.cells.items()]
            apart[kind] = sum((exact[1][codes] - exact[0][codes]) ** 2 / 2 if gaussian
                              else abs(exact[1][codes] - exact[0][codes])
                              for codes in set(exact[0]) | set(exact[1]))
    lower = {kind: apart[kind] * precision_lower(values, gaussian, ALPHA / len(noise))
             for kind, values in noise.items()}
    return max(sum(lower[kind] for kind, _ in tables) for tables in measured) * case.together
