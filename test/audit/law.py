"""The laws that releases claim to follow, and how much likelier they make one of
two neighbouring tables. Written from the proofs, not from the code that is audited.
"""
import itertools
import math
from collections import Counter

NEVER = -1000.0  # in place of ln 0
STABILITY = 2  # kind of noise: empty cells never show
GAUSSIAN = 4
SCORE_UNIT = 1024  # of the integer dependence score


# ---- exact counts -----------------------------------------------------------------


def code(attribute, value):
    """A value's level; what is not a label is 'other'."""
    words = value if isinstance(value, str) else "t" if value else "f"
    if words in attribute.labels:
        return attribute.labels.index(words)
    assert attribute.has_other, "%s has no level for %s" % (attribute.name, words)
    return len(attribute.labels)


def words(attribute, level):
    return attribute.labels[level] if level < len(attribute.labels) else None


def counts(attributes, columns, rows, described):
    """The exact table of these attributes: codes to rows."""
    order = [(described[a], columns.index(described[a].name)) for a in attributes]
    return Counter(tuple(code(attribute, row[column]) for attribute, column in order)
                   for row in rows)


def dependence(rows, a, b):
    """PrivBayes' score R of two columns, times the rows: 1024/2n sum |n t - r c|, rounded down."""
    n = len(rows)
    if n == 0:
        return 0
    cells = Counter((row[a], row[b]) for row in rows)
    left, right = Counter(row[a] for row in rows), Counter(row[b] for row in rows)
    total = sum(abs(n * cells[x, y] - left[x] * right[y]) for x in left for y in right)
    return SCORE_UNIT * total // (2 * n)


def information(rows, a, b):
    """n times the mutual information of two columns, in 1/1024 nats, rounded down."""
    def terms(counts):
        return sum(count * math.log(count) for count in counts.values())
    sides = [Counter(row[column] for row in rows) for column in (a, b)]
    whole = terms(Counter((row[a], row[b]) for row in rows)) + terms({0: len(rows) or 1})
    return math.floor(SCORE_UNIT * (whole - sum(map(terms, sides))))


def bic(rows, column, levels):
    """Minus BIC of the table of one column, in 1/1024: with L the multinomial likelihood of its counts at
    their own shares, -2 ln L + levels ln max(n, levels)."""
    def g(count):
        return math.lgamma(count + 1) - count * math.log(count) + count if count else 0.0
    deviance = 2 * (sum(map(g, Counter(row[column] for row in rows).values())) - g(len(rows)))
    return -round(SCORE_UNIT * (deviance + levels * math.log(max(len(rows), levels))))


def table_worth(rows, child, parents, cells, e0):
    """What a child's table tells with these parents, less what noise on its cells makes of it."""
    joined = [(row[child], tuple(row[parent] for parent in parents)) for row in rows]
    a = math.exp(-e0)
    return (dependence(joined, 0, 1) if parents else 0) \
        - round(SCORE_UNIT * cells * math.sqrt(2 * a) / (1 - a) / (2 * math.sqrt(2)))


# ---- likelihoods ------------------------------------------------------------------


def laplace_below(e0, k):
    """P[Z < k] of the discrete Laplace distribution."""
    a = math.exp(-e0)
    return 1 - a ** k / (1 + a) if k > 0 else a ** (1 - k) / (1 + a)


def gaussian_variance(table):
    """sigma^2 of the noise that makes it rho-zCDP."""
    return table.l2_squared / (2 * table.rho)


def gaussian_masses(variance, span):
    """P[Z = k] of the discrete Gaussian for k in -span..span; what is beyond goes to the ends."""
    weights = [math.exp(-k * k / (2 * variance)) for k in range(-2 * span, 2 * span + 1)]
    masses = weights[span:3 * span + 1]
    masses[0] += sum(weights[:span])
    masses[-1] += sum(weights[3 * span + 1:])
    return [mass / sum(weights) for mass in masses]


def table_log_likelihood(table, exact, occupied):
    """Up to a constant that does not depend on exact. occupied: the cells that either table has."""
    if table.noise == GAUSSIAN:
        return -sum((value - exact[codes]) ** 2 for codes, value in table.cells.items()) \
            / (2 * gaussian_variance(table))
    e0 = table.epsilon / table.sensitivity
    if table.dense:
        return -e0 * sum(abs(value - exact[codes]) for codes, value in table.cells.items())
    total = 0.0
    for codes in occupied | set(table.cells):
        if codes not in table.cells and exact[codes] == 0 and table.noise == STABILITY:
            continue  # an empty cell is silent
        if codes not in table.cells:
            total += math.log(laplace_below(e0, table.threshold - exact[codes]))
        elif exact[codes] == 0 and table.noise == STABILITY:
            total += NEVER
        else:
            total -= e0 * abs(table.cells[codes] - exact[codes])
    return total


def label_log_likelihood(labels, values, e0, threshold):
    """The log likelihood of the labels found for an open column with these values (a Counter)."""
    total = NEVER * len(set(labels) - set(values))
    for value, rows in values.items():
        silent = laplace_below(e0, threshold - rows)
        total += math.log(1 - silent if value in labels else silent)
    return total


def perturbed_alpha(epsilon, columns, rows, replaced, unit_rows):
    """The pseudo-count that makes a block of so many rows epsilon-DP (docs/methods/pegs.md)."""
    moved = (2 if replaced and rows > 1 else 1) * unit_rows
    histograms = min(moved, rows)
    return moved / histograms / math.expm1(epsilon / (columns * histograms))


def perturbed_rows_log_likelihood(drawn, described, parents, columns, rows, alpha, block):
    """The log likelihood of rows (codes) that are drawn column by column, each given its parents, which
    come before it. In a block each histogram counts once. parents: {column: [columns]}."""
    total = 0.0
    for number, row in enumerate(drawn):
        if number % block == 0:
            visited = set()
        for place, attribute in enumerate(described):
            given = [columns.index(name) for name in parents[attribute.name]]
            key = place, tuple(row[column] for column in given)
            counts = Counter() if key in visited else Counter(
                code(attribute, other[place]) for other in rows
                if all(code(described[column], other[column]) == row[column] for column in given))
            visited.add(key)
            levels = len(attribute.labels) + attribute.has_other
            total += math.log((counts[row[place]] + alpha)
                              / (sum(counts.values()) + levels * alpha))
    return total


def shaped_draw(counts, level, levels, alpha, e0):
    """P[level] of one draw, if alpha is in proportion to a noisy margin (docs/methods/pegs.md) of two levels.
    counts: of the histogram, and of the margin."""
    a, span = math.exp(-e0), int(16 / e0) + 2
    histogram, margin = counts
    p = 0.0
    for noise in itertools.product(range(-span, span + 1), repeat=levels):
        mass = math.prod((1 - a) / (1 + a) * a ** abs(z) for z in noise)
        noisy = [max(margin[c] + z, 0) for c, z in enumerate(noise)]
        shape = [alpha * max(1, levels * q / (sum(noisy) or 1)) for q in noisy]
        p += mass * (histogram[level] + shape[level]) / (sum(histogram.values()) + sum(shape))
    return p


def permute_and_flip(scores, chosen, epsilon, sensitivity):
    """P[chosen]: its coin is heads, and it is drawn among all whose coins are."""
    best = max(scores.values())
    heads = {candidate: math.exp(-epsilon * (best - score) / (2 * sensitivity))
             for candidate, score in scores.items()}
    others = [1.0]  # distribution of how many of the others are heads
    for candidate, p in heads.items():
        if candidate != chosen:
            others = [(1 - p) * stay + p * rise
                      for stay, rise in zip(others + [0.0], [0.0] + others)]
    return heads[chosen] * sum(p / (1 + n) for n, p in enumerate(others))


def exponential(scores, chosen, epsilon, sensitivity):
    """P[chosen] by the exponential mechanism."""
    best = max(scores.values())
    weight = {candidate: math.exp(-epsilon * (best - score) / (2 * sensitivity))
              for candidate, score in scores.items()}
    return weight[chosen] / sum(weight.values())


def parents_log_likelihood(parents, child, columns, rows, epsilon, sensitivity, score=dependence):
    """The log likelihood of the parents of a column, which are chosen one after another."""
    left = [column for column in range(len(columns)) if column != child]
    total = 0.0
    for parent in parents:
        scores = {column: score(rows, child, column) for column in left}
        p = permute_and_flip(scores, parent, epsilon, sensitivity)
        total += math.log(p) if p > 0 else NEVER
        left.remove(parent)
    return total
