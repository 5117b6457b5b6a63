"""Bounds epsilon from below by the scores of releases of two neighbouring tables.

A release has one score or several: how much likelier all of it, or a part of it, is
under one table. An event is: this score is at least (or at most) so much.
"""
import math

from statistics_exact import clopper_pearson

ALPHA = 1e-6 / 2  # for each of the two probabilities
THRESHOLDS = 60  # tried of each score


def bound(hits, others, n, delta):
    """Lower bound of epsilon from an event with so many hits in n releases of each table."""
    low = clopper_pearson(hits, n, ALPHA)[0]
    high = clopper_pearson(others, n, ALPHA)[1]
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
    """The event is chosen on the first halves, judged on the second ones."""
    half = len(scores[0]) // 2
    first = [side[:half] for side in scores]
    second = [side[half:] for side in scores]
    best = max(events(first), key=lambda event: bound(*event_counts(first, *event), half, delta))
    return bound(*event_counts(second, *best), len(second[0]), delta)
