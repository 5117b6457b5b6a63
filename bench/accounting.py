"""What an exact account of discrete Gaussian noise would save. A release measures so many tables with
discrete Gaussian noise of one sigma; a row that comes or goes moves one cell of each by 1, a row that is
replaced moves two. The smallest sigma by rho (the conversion that dpsyn charges by) stands beside
the smallest by the exact curve of the sum, and by that of continuous noise of the same variance (GDP).

The exact curve: with z_1 ... z_k independent discrete Gaussians the privacy loss of a row is
(k - 2 S)/(2 sigma^2), S the sum of all z_i, so delta(epsilon) = sum over s of P[S = s] max(0, 1 -
exp(epsilon - (k - 2 s)/(2 sigma^2))). The law of S is a convolution of positive numbers, whose relative
error is at most the number of operations times 2^-53; each z is cut where less than 1e-22 lies beyond,
and what is cut is added to delta. So the delta that is compared is an upper bound."""
import math

import numpy as np

CUT = 1e-22  # of each noise, on both sides together, at most
SLACK = 1e-9  # relative, over all roundings: millions of them, each 2^-53


def epsilon_of_rho(rho, delta):
    """Canonne, Kamath, Steinke, proposition 12."""
    orders = 1 + np.exp(np.linspace(math.log(1e-3), math.log(1e6), 20001))
    return float((orders * rho + np.log1p(-1 / orders) + (math.log(1 / delta) - np.log(orders)) / (orders - 1)).min())


def noise(sigma):
    """P[z] for |z| <= reach, not above the truth but for roundings, and what is beyond."""
    reach = int(math.ceil(sigma * math.sqrt(2 * math.log(4 / CUT)))) + 2
    p = np.exp(-np.arange(-reach, reach + 1, dtype=float) ** 2 / (2 * sigma * sigma))
    return p / p.sum(), CUT


def law_of_sum(sigma, k):
    """By squaring; each end is cut where it holds less than CUT."""
    p, lost = noise(sigma)
    power, power_lost, out, out_lost = p, lost, np.array([1.0]), 0.0
    while k:
        if k & 1:
            out, out_lost = trimmed(np.convolve(out, power)), out_lost + power_lost + CUT
        k >>= 1
        if k:
            power, power_lost = trimmed(np.convolve(power, power)), 2 * power_lost + CUT
    return out, out_lost


def trimmed(p):
    """The law is symmetric: what is cut on both sides is less than CUT together."""
    beyond = np.cumsum(p)
    cut = int(np.searchsorted(beyond, CUT / 4))
    return p[cut:len(p) - cut]


def delta_exact(epsilon, sigma, k):
    p, lost = law_of_sum(sigma, k)
    s = np.arange(len(p)) - (len(p) - 1) // 2
    loss = (k - 2.0 * s) / (2 * sigma * sigma)
    over = loss > epsilon
    return float((p[over] * -np.expm1(epsilon - loss[over])).sum()) * (1 + SLACK) + lost


def delta_continuous(epsilon, mu):
    """Balle, Wang; the normal's tail by math.erfc."""
    tail = lambda x: 0.5 * math.erfc(x / math.sqrt(2))
    return tail(epsilon / mu - mu / 2) - math.exp(epsilon) * tail(epsilon / mu + mu / 2)


def least(low, high, holds):
    """The smallest value with holds(value), between one that does not hold and one that does."""
    while high / low > 1 + 1e-6:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def main():
    print("### An exact account of discrete Gaussian noise\n")
    print("| epsilon | delta | noises | sigma by rho | exact | GDP | saved: exact | GDP |")
    print("|---|---|---|---|---|---|---|---|")
    for delta in (1e-9, 1e-6):
        for epsilon in (0.1, 1.0, 10.0):
            for k in (1, 2, 25):
                rho = 1 / least(1e-9, 1e9, lambda inverse: epsilon_of_rho(1 / inverse, delta) <= epsilon)
                by_rho = math.sqrt(k / (2 * rho))
                if by_rho * math.sqrt(k) > 1000:
                    continue  # the sum has too many values to be convolved here
                exact = least(by_rho / 2, by_rho, lambda sigma: delta_exact(epsilon, sigma, k) <= delta)
                continuous = least(by_rho / 2, by_rho * 1.01, lambda sigma: delta_continuous(epsilon, math.sqrt(k) / sigma) <= delta)
                print("| %g | %g | %d | %.4f | %.4f | %.4f | %.2f %% | %.2f %% |"
                      % (epsilon, delta, k, by_rho, exact, continuous, 100 * (1 - exact / by_rho), 100 * (1 - continuous / by_rho)), flush=True)


if __name__ == "__main__":
    main()
