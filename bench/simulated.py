"""Small tables of many shapes, from seeds: latent classes, chains, long lists. Each function gives codes
and the number of levels of each column."""
import numpy as np

from shapes import draw_from


def latent(rows, dims, classes, seed, sharpness=.4):
    """Columns that depend on each other by a latent class alone."""
    rng = np.random.default_rng(seed)
    of = rng.choice(classes, rows, p=rng.dirichlet(np.full(classes, 2.)))
    columns = [draw_from(rng, rng.dirichlet(np.full(n, sharpness), classes)[of]) for n in dims]
    return np.stack(columns, 1), list(dims)


def chain(rows, dims, seed, sharpness=.3):
    """Each column depends on the one before."""
    rng = np.random.default_rng(seed)
    columns = [draw_from(rng, np.tile(rng.dirichlet(np.full(dims[0], .7)), (rows, 1)))]
    for before, n in zip(dims, dims[1:]):
        columns.append(draw_from(rng, rng.dirichlet(np.full(n, sharpness), before)[columns[-1]]))
    return np.stack(columns, 1), list(dims)


def zipf(rows, dims, seed):
    """Long lists with long tails, and a few short columns that follow them."""
    rng = np.random.default_rng(seed)
    weight = 1 / (2 + np.arange(dims[0])) ** 1.05
    columns = [rng.choice(dims[0], rows, p=weight / weight.sum())]
    for n in dims[1:]:
        own = rng.integers(0, n, dims[0])[columns[0]]
        columns.append(np.where(rng.random(rows) < .6, own, rng.integers(0, n, rows)))
    return np.stack(columns, 1), list(dims)


SIMULATED = {
    "pairs8": lambda: latent(3000, [2] * 8, 4, 1),
    "fours10": lambda: latent(20000, [4] * 10, 8, 2),
    "mixed12": lambda: latent(10000, [2, 3, 5, 8, 13, 21, 2, 4, 6, 10, 3, 2], 6, 3),
    "mixed20": lambda: latent(15000, [2, 3, 5, 8, 4, 6, 2, 4, 6, 10, 3, 2, 2, 7, 9, 3, 4, 5, 2, 12], 10, 4),
    "wide30": lambda: latent(8000, [2, 3, 4, 5, 6] * 6, 12, 5),
    "wide50": lambda: latent(5000, [2, 3] * 25, 6, 6),
    "tall6": lambda: latent(200000, [10, 20, 5, 3, 2, 8], 10, 7),
    "chain9": lambda: chain(30000, [12, 10, 8, 15, 6, 9, 20, 4, 5], 8),
    "chain16": lambda: chain(12000, [5, 6, 4, 8, 3, 5, 7, 2, 4, 6, 9, 3, 5, 4, 2, 8], 9),
    "bins7": lambda: chain(60000, [32] * 7, 10, .1),
    "list300": lambda: zipf(25000, [300, 12, 5, 7, 2], 11),
    "list1000": lambda: zipf(50000, [1000, 30, 20, 4, 3, 6], 12),
    "lists3": lambda: zipf(30000, [150, 120, 90, 6, 3], 13),
    "small5": lambda: latent(800, [3, 4, 2, 5, 3], 3, 14),
    "flat14": lambda: latent(25000, [6] * 14, 5, 15, 5.),
    "deep18": lambda: latent(6000, [2, 2, 3, 2, 4, 2, 3, 2, 5, 2, 3, 2, 2, 6, 2, 3, 2, 4], 9, 16, .2),
}

# Tables that no price was fitted to.
FRESH = {
    "few6": lambda: latent(5000, [3, 2, 6, 4, 2, 5], 4, 101),
    "fours12": lambda: latent(30000, [4] * 12, 7, 102),
    "binary14": lambda: latent(9000, [2] * 14, 6, 103, .6),
    "mixed9": lambda: latent(40000, [7, 3, 15, 2, 9, 24, 4, 5, 2], 8, 104),
    "mixed15": lambda: latent(20000, [3, 2, 9, 4, 12, 5, 2, 7, 3, 16, 2, 4, 6, 2, 8], 9, 105),
    "wide24": lambda: latent(10000, [2, 4, 3, 6] * 6, 8, 106),
    "wide36": lambda: latent(15000, [2, 3, 5] * 12, 9, 107, .6),
    "tall8": lambda: latent(150000, [8, 12, 4, 25, 3, 6, 2, 10], 9, 108),
    "chain7": lambda: chain(50000, [20, 14, 9, 30, 11, 6, 17], 109),
    "chain12": lambda: chain(18000, [7, 5, 9, 3, 11, 6, 4, 8, 2, 10, 5, 3], 110),
    "chain20": lambda: chain(25000, [4, 3, 5, 2, 6] * 4, 111),
    "bins5": lambda: chain(80000, [48] * 5, 112, .1),
    "bins9": lambda: chain(35000, [20] * 9, 113, .2),
    "list200": lambda: zipf(40000, [200, 9, 14, 4, 6, 3], 114),
    "list500": lambda: zipf(60000, [500, 25, 8, 12, 2, 4, 7], 115),
    "lists2": lambda: zipf(20000, [80, 60, 12, 5, 9, 2], 116),
    "even10": lambda: latent(30000, [5] * 10, 4, 117, 4.),
    "sharp11": lambda: latent(12000, [3, 6, 2, 8, 4, 5, 3, 7, 2, 4, 6], 12, 118, .15),
    "tiny4": lambda: latent(600, [4, 3, 5, 2], 3, 119),
    "deep16": lambda: latent(10000, [2, 3, 2, 2, 4, 2, 3, 2, 2, 5, 2, 3, 2, 2, 2, 4], 8, 120, .25),
}
