"""Ways to find the bins of one column, each with the whole epsilon, and how far its cumulative distribution is from the
truth: W1 in standard deviations of the column, and the largest difference (KS). Counts become nonnegative in the same way,
and values are uniform inside a bin, so that bins alone are compared. continuous noise stands for the discrete one."""
import csv
import math
import statistics

import numpy as np

LAM = 73 / 28  # docs/methods/ranges.md
COLUMNS = (("adult", "age", 0, 120), ("adult", "education_num", 0, 20), ("adult", "capital_gain", 0, 100000),
           ("adult", "capital_loss", 0, 10000), ("adult", "hours_per_week", 0, 100),
           ("lognormal", "income", 0, 1048575), ("cps_vote10k", None, 0, 120))
EPSILONS = (0.02, 0.1)


def column(data, table, name, low, high):
    if table == "lognormal":
        values = np.random.default_rng(1).lognormal(10, 0.8, 20000).astype(int)
    else:
        with open("%s/%s.csv" % (data, table), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        if name is None:
            name = next((c for c in rows[0] if "age" in c.lower()), None)
        values = np.array([int(float(r[name])) for r in rows if name and r[name].lstrip("-").replace(".", "").isdigit()])
    return np.bincount(np.clip(values, low, high) - low, minlength=high - low + 1)


def project(noisy, total):
    """The nearest nonnegative counts with that sum."""
    order = np.sort(noisy)[::-1]
    sums = np.cumsum(order) - total
    k = np.nonzero(order - sums / np.arange(1, len(order) + 1) > 0)[0]
    if total <= 0 or len(k) == 0:
        return np.full(len(noisy), 1 / len(noisy))
    return np.maximum(noisy - sums[k[-1]] / (k[-1] + 1), 0)


def spread(edges, counts, size):
    """Cells of a column with these bins."""
    cells = np.zeros(size)
    for low, high, count in zip(edges[:-1], edges[1:], counts):
        cells[low:high] = count / (high - low)
    return cells


def of_edges(exact, edges, epsilon, random):
    before = np.concatenate([[0], np.cumsum(exact)])
    counts = np.diff(before[edges]) + random.laplace(0, 1 / epsilon, len(edges) - 1)
    return spread(edges, project(counts, counts.sum()), len(exact)), len(edges) - 1


def privtree(exact, epsilon, random):
    before = np.concatenate([[0], np.cumsum(exact)])
    lam = LAM / (epsilon / 2)
    level = math.ceil(lam * math.log(2))
    edges, stack = [], [(0, len(exact), 0)]
    while stack:
        low, high, depth = stack.pop()
        biased = max(before[high] - before[low] - depth * level, -level)
        if high - low < 2 or biased + random.laplace(0, lam) <= 0:
            edges.append(low)
            continue
        middle = low + (high - low) // 2
        stack += [(middle, high, depth + 1), (low, middle, depth + 1)]
    return of_edges(exact, np.array(edges + [len(exact)]), epsilon / 2, random)


def equal_width(n):
    def way(exact, epsilon, random):
        return of_edges(exact, np.unique(np.linspace(0, len(exact), n + 1).astype(int)), epsilon, random)
    return way


def quantiles(exact, epsilon, random, n=32):
    """Recursively: the median of what is left, by the exponential mechanism over all cells."""
    before = np.concatenate([[0], np.cumsum(exact)])
    each = epsilon / 2 / math.log2(n)
    edges, parts = {0, len(exact)}, [(0, len(exact), n)]
    while parts:
        low, high, k = parts.pop()
        if k < 2 or high - low < 2:
            continue
        inside = np.arange(low + 1, high)
        score = -np.abs((before[inside] - before[low]) - (before[high] - before[inside])) / 2
        middle = int(inside[np.argmax(score * each / 2 + random.gumbel(size=len(inside)))])
        edges.add(middle)
        parts += [(low, middle, k // 2), (middle, high, k // 2)]
    return of_edges(exact, np.array(sorted(edges)), epsilon / 2, random)


def dyadic(exact, epsilon, random):
    """Noise on each level of the whole tree, then least squares (Hay and others 2010)."""
    depth = max(1, math.ceil(math.log2(len(exact))))
    leaves = np.concatenate([exact, np.zeros(2 ** depth - len(exact))])
    levels = [leaves.reshape(2 ** d, -1).sum(axis=1) + random.laplace(0, (depth + 1) / epsilon, 2 ** d)
              for d in range(depth + 1)]
    up = [None] * depth + [levels[depth]]
    for d in range(depth - 1, -1, -1):
        height = depth - d + 1
        share = (2 ** height - 2 ** (height - 1)) / (2 ** height - 1)
        up[d] = share * levels[d] + (1 - share) * up[d + 1].reshape(-1, 2).sum(axis=1)
    final = up[0]
    for d in range(1, depth + 1):
        final = up[d] + np.repeat((final - up[d].reshape(-1, 2).sum(axis=1)) / 2, 2)
    return project(final[:len(exact)], final.sum()), len(exact)


WAYS = (("PrivTree", privtree), ("32 of equal width", equal_width(32)), ("256 of equal width", equal_width(256)),
        ("32 quantiles", quantiles), ("dyadic tree", dyadic))


def distance(exact, cells):
    truth, other = np.cumsum(exact) / exact.sum(), np.cumsum(cells) / cells.sum()
    values = np.arange(len(exact))
    mean = (values * exact).sum() / exact.sum()
    deviation = math.sqrt(((values - mean) ** 2 * exact).sum() / exact.sum())
    gap = np.abs(truth - other)
    return gap.sum() / deviation, gap.max()


def compare(data, runs):
    print("\n### one column alone: W1 in standard deviations, KS, means of %d runs\n" % runs)
    print("| column | epsilon | %s |" % " | ".join(name for name, _ in WAYS))
    print("|---|---|%s|" % "|".join("---" for _ in WAYS))
    for table, name, low, high in COLUMNS:
        exact = column(data, table, name, low, high)
        if exact.sum() == 0:
            continue
        for epsilon in EPSILONS:
            shown = []
            for _, way in WAYS:
                random = np.random.default_rng(2)
                found = [distance(exact, way(exact, epsilon, random)[0]) for _ in range(runs)]
                shown.append("%.4f, %.4f" % tuple(statistics.mean(v) for v in zip(*found)))
            print("| %s %s | %g | %s |" % (table, name or "age", epsilon, " | ".join(shown)), flush=True)
