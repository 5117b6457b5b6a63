"""Tails of the binomial and chi-square distributions, from math.lgamma alone."""
import functools
import math


def beta_cdf(x, a, b):
    """Regularised incomplete beta function, by Lentz's continued fraction."""
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_cdf(1 - x, b, a)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x)
                     + b * math.log1p(-x)) / a
    tiny = 1e-300
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1) or tiny)
    result = d
    for m in range(1, 1000):
        for term in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                     -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1 / (1 + term * d or tiny)
            c = 1 + term / c or tiny
            result *= c * d
        if abs(c * d - 1) < 1e-14:
            break
    return front * result


def beta_quantile(p, a, b):
    low, high = 0.0, 1.0
    for _ in range(45):
        middle = (low + high) / 2
        if beta_cdf(middle, a, b) < p:
            low = middle
        else:
            high = middle
    return (low + high) / 2


@functools.lru_cache(maxsize=None)
def binomial_lower(hits, n, alpha):
    """A bound of a probability, which fails with probability alpha at most."""
    return beta_quantile(alpha, hits, n - hits + 1) if hits else 0.0


def binomial_upper(hits, n, alpha):
    return 1 - binomial_lower(n - hits, n, alpha)


def clopper_pearson(hits, n, alpha):
    """(lower, upper) bounds of a probability; each fails with probability alpha at most."""
    return binomial_lower(hits, n, alpha), binomial_upper(hits, n, alpha)


def gamma_upper(a, x):
    """Regularised upper incomplete gamma function."""
    if x <= 0:
        return 1.0
    front = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        n = a
        while term > total * 1e-16:
            n += 1
            term *= x / n
            total += term
        return max(0.0, 1 - front * total)
    b = x + 1 - a
    c, d = 1e300, 1 / b
    result = d
    for i in range(1, 10000):
        b += 2
        d = 1 / (b - i * (i - a) * d)
        c = b - i * (i - a) / c
        result *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return front * result


def chi_square_p(observed, expected):
    """p-value of counts against expected ones; cells with fewer than 5 expected are merged."""
    merged, o, e = [], 0.0, 0.0
    for seen, wanted in zip(observed, expected):
        o, e = o + seen, e + wanted
        if e >= 5:
            merged.append((o, e))
            o = e = 0.0
    if merged and e > 0:
        last = merged.pop()
        merged.append((last[0] + o, last[1] + e))
    if len(merged) < 2:
        return 1.0
    statistic = sum((seen - wanted) ** 2 / wanted for seen, wanted in merged)
    return gamma_upper((len(merged) - 1) / 2, statistic / 2)
