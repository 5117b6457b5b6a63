"""Bounds epsilon and rho from below by the scores of releases of two neighbouring tables.

A release has one score or several: how much likelier all of it, or a part of it, is
under one table. An event is: this score is at least (or at most) so much.
"""
import math

from statistics_exact import binomial_lower, binomial_upper

ALPHA = 1e-6 / 2  # for each of the two probabilities
THRESHOLDS = 60  # tried of each score
JOINT = 16.7
ORDERS = (1.1, 1.25, 1.5, 2, 3, 4, 6, 8, 12, 16)  # of Renyi divergences


def bound(hits, others, n, m, delta):
    """Lower bound of epsilon. An event came `hits` times in n releases of one table, and `others` times
    in m releases of the other."""
    low = binomial_lower(hits, n, ALPHA)
    high = binomial_upper(others, m, ALPHA)
    return math.log((low - delta) / high) if low > delta else 0.0


def event_counts(scores, kind, threshold, above):
    """How often the event happens under (the table that has it more often, the other one)."""
    without, with_unit = [sum(score[kind] >= threshold if above else score[kind] <= threshold
                              for score in side) for side in scores]
    return (with_unit, without) if above else (without, with_unit)


def events(scores):
    for kind in range(len(scores[0][0])):
        values = sorted(set(round(score[kind], 6) for side in scores for score in side))
        for threshold in values[::max(1, len(values) // THRESHOLDS)]:
            yield kind, threshold - 1e-5, True
            yield kind, threshold + 1e-5, False


def epsilon_lower(scores, delta):
    """The event is chosen on the first third, judged on the rest."""
    third = len(scores[0]) // 3
    first = [side[:third] for side in scores]
    rest = [side[third:] for side in scores]
    best = max(events(first),
               key=lambda event: bound(*event_counts(first, *event), third, third, delta))
    n = len(rest[0])
    return bound(*event_counts(rest, *best), n, n, delta)


def rho_of_event(p, q):
    """The least rho under which an event can have these probabilities for neighbouring tables:
    rho-zCDP bounds D_alpha of the one against the other, divided by alpha, by rho."""
    if p in (0, 1) or q in (0, 1):
        return math.inf if p != q else 0.0
    both = ((p, q), (1 - p, 1 - q))
    found = max(sum(a * math.log(a / b) for a, b in both), sum(b * math.log(b / a) for a, b in both))
    for order in ORDERS:
        for way in both, [(b, a) for a, b in both]:
            found = max(found, math.log(sum(a ** order * b ** (1 - order) for a, b in way))
                        / (order - 1) / order)
    return found


def farthest(hits, n, distance):
    """The smallest p with n KL(hits/n, p) <= distance, rounded down."""
    seen, low, high = hits / n, 0.0, hits / n
    for _ in range(30):
        p = (low + high) / 2
        away = (seen * math.log(seen / p) if seen else 0.0) \
            + ((1 - seen) * math.log((1 - seen) / (1 - p)) if seen < 1 else 0.0) if p > 0 else math.inf
        low, high = (low, p) if n * away <= distance else (p, high)
    return low


def fixed_event_lower(loss, hits, others, n, m):
    """Lower bound of a loss from an event that was fixed beforehand. It was hit so often in n releases
    of one table, and so often in m of the other, where it should be rarer.

    If p is the event's probability, there are so many hits that n KL(hits/n, p) is x or more with
    probability exp(-x) at most (Chernoff). The sum of two such numbers is JOINT or more with
    probability (1 + JOINT) exp(-JOINT) < 1e-6. So the loss is bounded over all p and q whose sum is
    less, however it is split between them."""
    step = JOINT / 32
    possible = [(farthest(hits, n, (i + 1) * step), 1 - farthest(m - others, m, JOINT - i * step))
                for i in range(32)]
    return min(loss(p, q) if p > q else 0.0 for p, q in possible)


def rho_lower(*counts):
    return fixed_event_lower(rho_of_event, *counts)


def choice_lower(*counts):
    return fixed_event_lower(lambda p, q: math.log(p / q), *counts)
