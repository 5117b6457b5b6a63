"""Tables of public shapes, made from a seed: they look like what people hold, and are nobody's.
Each function gives codes[rows x columns] and the number of levels of each column."""
import numpy as np


def draw_from(rng, shares):
    """One code a row; shares[rows x levels] need not add up to 1."""
    cumulative = np.cumsum(shares, axis=1)
    return (rng.random(len(shares))[:, None] * cumulative[:, -1:] > cumulative).sum(axis=1)


def city(rows=250000, seed=1):
    """Trips of a city: where they begin and end is a mixture over kinds of trips and hours; fares
    follow distances, tips follow fares and the way of paying."""
    rng = np.random.default_rng(seed)
    areas, kinds = 77, 9
    x, y = rng.random(areas) * 10, rng.random(areas) * 25
    busy = rng.dirichlet(np.full(areas, .25))
    hour_of = rng.dirichlet(np.full(24, .7), kinds)
    from_of = np.array([rng.dirichlet(60 * busy + .02) for _ in range(kinds)])
    to_of = np.array([rng.dirichlet(60 * busy + .02) for _ in range(kinds)])
    kind = rng.choice(kinds, rows, p=rng.dirichlet(np.full(kinds, 2.)))
    hour = draw_from(rng, hour_of[kind])
    start = draw_from(rng, from_of[kind])
    near = np.exp(-np.hypot(x[:, None] - x, y[:, None] - y) / 4)
    end = draw_from(rng, to_of[kind] * near[start])
    miles = np.hypot(x[start] - x[end], y[start] - y[end]) * rng.gamma(8, 1 / 6., rows) + .3
    speed = 22 - 9 * np.exp(-((hour - 17.) / 3) ** 2) - 5 * np.exp(-((hour - 8.) / 2) ** 2)
    minutes = 60 * miles / speed * rng.gamma(9, 1 / 9., rows)
    fare = 3.25 + 2.25 * miles + .2 * minutes + (rng.random(rows) < .05) * 20
    pay = draw_from(rng, np.stack([.5 + .01 * fare, .48 - .004 * fare.clip(0, 80), np.full(rows, .04),
                                   np.full(rows, .01), np.full(rows, .008)], 1))
    tip = np.where(pay == 0, fare * np.abs(rng.normal(.2, .1, rows)), 0) * (rng.random(rows) < .93)
    company = draw_from(rng, rng.dirichlet(np.full(57, .15), 12)[kind % 4 + 4 * (hour > 18)])
    cut = lambda v, n: np.searchsorted(np.quantile(v, np.arange(1, n) / n), v)
    start = np.where(rng.random(rows) < .04, areas, start)
    end = np.where(rng.random(rows) < .06, areas, end)
    columns = [start, end, company, cut(fare, 21), cut(minutes, 11), pay, hour // 3,
               cut(miles, 11), np.minimum((tip * 1.5).astype(int), 9),
               draw_from(rng, rng.dirichlet(np.full(7, 3.), 24)[hour])]
    return np.stack(columns, 1), [78, 78, 57, 21, 11, 5, 8, 11, 10, 7]


def census(rows=170000, seed=2, columns=35):
    """A wide census: latent classes of persons, ages that rule which questions are asked at all
    (level 0: not asked), and a few columns that follow another one."""
    rng = np.random.default_rng(seed)
    classes = 24
    size = rng.choice([2, 3, 4, 5, 6, 8, 9, 10, 13, 17], columns,
                      p=[.2, .2, .12, .1, .1, .08, .06, .06, .04, .04])
    size[0], size[1] = 17, 2
    of = rng.choice(classes, rows, p=rng.dirichlet(np.full(classes, 1.5)))
    ages = rng.dirichlet(np.full(17, .5), classes)
    out = np.zeros((rows, columns), dtype=np.int64)
    out[:, 0] = draw_from(rng, ages[of])
    for c in range(1, columns):
        shares = rng.dirichlet(np.full(size[c], .4), classes)
        own = draw_from(rng, shares[of])
        parent = rng.integers(0, c)
        if rng.random() < .5:  # follows another column in part of the rows
            follows = rng.permutation(max(size[c], size[parent])) % size[c]
            own = np.where(rng.random(rows) < .3 + .5 * rng.random(), follows[out[:, parent]], own)
        if c % 3 == 2 and size[c] > 2:  # asked of some ages only
            low = rng.integers(1, 8)
            own = np.where((out[:, 0] >= low) & (out[:, 0] <= low + 9), np.maximum(own, 1), 0)
        out[:, c] = own
    return out, [int(s) for s in size]


def codes500(rows=136000, seed=3):
    """Nine columns, one of 501 levels with long tails, such as a place or a diagnosis."""
    rng = np.random.default_rng(seed)
    groups, levels = 25, 501
    group_of = rng.integers(0, groups, levels)  # as groups500 has it
    weight = 1 / (1 + np.arange(levels)) ** .8 * rng.gamma(2, .5, levels)
    code = rng.choice(levels, rows, p=weight / weight.sum())
    group = group_of[code]
    out = [code]
    for n, own in ((2, .2), (6, .5), (9, .5), (16, .7), (4, .3), (12, .4), (2, .6), (31, .5)):
        by_group = rng.dirichlet(np.full(n, .5), groups)
        by_code = rng.dirichlet(np.full(n, .5), levels)
        by_last = rng.dirichlet(np.full(n, .4), out[-1].max() + 1)
        out.append(draw_from(rng, by_group[group] + own * by_code[code] + by_last[out[-1]]))
    return np.stack(out, 1), [501, 2, 6, 9, 16, 4, 12, 2, 31]


def salaries(rows=135000, seed=7):
    """Pay of a city's staff: a title of 501 levels in the order of the alphabet decides the department, the union and most of
    the pay; overtime follows both, and years of service the pay."""
    rng = np.random.default_rng(seed)
    titles, departments, unions = 501, 58, 14
    weight = 1 / (3 + rng.permutation(titles)) ** 1.1
    title = rng.choice(titles, rows, p=weight / weight.sum())
    home, grade = rng.integers(0, departments, titles), rng.normal(0, 1, titles)
    anywhere = rng.dirichlet(np.full(departments, .4))
    department = np.where(rng.random(rows) < .2, rng.choice(departments, rows, p=anywhere), home[title])
    union = np.where(rng.random(rows) < .1, rng.integers(0, unions, rows), rng.integers(0, unions, titles)[title])
    service = np.minimum(rng.gamma(2, 5, rows).astype(int), 34) // 3
    year = rng.integers(0, 6, rows)
    pay = grade[title] + .06 * service + .05 * year + rng.normal(0, .35, rows)
    shift = rng.random(departments) < .35
    overtime = np.where(rng.random(rows) < np.where(shift[department], .8, .15), rng.gamma(2, 1 + pay.clip(0), rows), 0)
    woman = rng.random(rows) < rng.beta(1.5, 1.5, titles)[title]
    status = draw_from(rng, rng.dirichlet(np.full(3, .6), departments)[department] + .2)
    cut = lambda v, n: np.searchsorted(np.quantile(v, np.arange(1, n) / n), v)
    columns = [title, department, union, cut(pay, 20), np.minimum(overtime.astype(int), 11), service, year, woman.astype(int), status]
    return np.stack(columns, 1), [titles, departments, unions, 20, 12, 12, 6, 2, 3]


def groups500(seed=3):
    """The group of each level of the first column of codes500."""
    return np.random.default_rng(seed).integers(0, 25, 501)


def diagnoses(rows=100000, seed=5):
    """2,995 codes in 200 blocks and 20 chapters. Which chapter a row has, and in part which block,
    depends on age, sex and ward; which code of a block, on nothing. Codes are numbered at random, so
    their numbers say nothing of chapters. Columns: code, age, sex, ward, outcome, year."""
    rng = np.random.default_rng(seed)
    codes, blocks, chapters = 2995, 200, 20
    block_of, chapter_of = code_nodes(codes, blocks, chapters)
    age = rng.choice(10, rows, p=rng.dirichlet(np.full(10, 4.)))
    sex = rng.integers(0, 2, rows)
    ward = draw_from(rng, rng.dirichlet(np.full(15, .6), 20)[age + 10 * sex])
    chapter = draw_from(rng, (rng.dirichlet(np.full(chapters, .4), 20)[age + 10 * sex] +
                              rng.dirichlet(np.full(chapters, .3), 15)[ward]))
    block = draw_from(rng, rng.gamma(.5, 1, (30, blocks))[ward + 15 * sex] *
                      (np.arange(blocks) % chapters == chapter[:, None]))
    weight = 1 / (1 + rng.permutation(codes)) ** .7
    code = np.zeros(rows, dtype=np.int64)
    for b in range(blocks):
        own, here = np.flatnonzero(block_of == b), np.flatnonzero(block == b)
        code[here] = rng.choice(own, len(here), p=weight[own] / weight[own].sum())
    outcome = draw_from(rng, rng.dirichlet(np.full(4, .6), chapters * 2)[chapter * 2 + (age > 5)])
    year = rng.integers(0, 8, rows)
    return np.stack([code, age, sex, ward, outcome, year], 1), [codes, 10, 2, 15, 4, 8]


def code_nodes(codes, blocks, chapters, seed=6):
    """The block and the chapter of each code."""
    rng = np.random.default_rng(seed)
    block_of = np.concatenate([np.arange(blocks), rng.integers(0, blocks, codes - blocks)])
    rng.shuffle(block_of)
    return block_of, block_of % chapters


def wide(columns, rows=50000, seed=4):
    """Many columns of few levels: chains of latent causes, each with some witnesses."""
    rng = np.random.default_rng(seed)
    causes = max(2, columns // 6)
    latent = np.zeros((rows, causes), dtype=np.int64)
    for k in range(causes):
        shares = rng.dirichlet(np.full(4, .5), 4)
        before = latent[:, rng.integers(0, k)] if k > 0 else np.zeros(rows, dtype=np.int64)
        latent[:, k] = draw_from(rng, shares[before])
    size = rng.choice([2, 2, 3, 4, 5, 8], columns)
    out = [draw_from(rng, rng.dirichlet(np.full(n, .6), 16)[latent[:, k % causes] * 4 +
                                                            latent[:, rng.integers(0, causes)]])
           for k, n in enumerate(size)]
    return np.stack(out, 1), [int(s) for s in size]


def classes(rows=5000, seed=21, levels=(2, 3, 4, 5, 3, 2, 6, 4, 3, 8, 2, 5), kinds=6):
    """Latent classes: within a class columns are independent of each other."""
    rng = np.random.default_rng(seed)
    of = rng.choice(kinds, rows, p=rng.dirichlet(np.full(kinds, 2.)))
    out = [draw_from(rng, rng.dirichlet(np.full(n, .5), kinds)[of]) for n in levels]
    return np.stack(out, 1), list(levels)


def chain(rows=20000, seed=22, columns=9, levels=7):
    """A Markov chain: each column follows the one before, and no other."""
    rng = np.random.default_rng(seed)
    out = [rng.choice(levels, rows, p=rng.dirichlet(np.full(levels, 1.)))]
    for _ in range(columns - 1):
        out.append(draw_from(rng, rng.dirichlet(np.full(levels, .4), levels)[out[-1]]))
    return np.stack(out, 1), [levels] * columns


def sparse(rows=30000, seed=23, columns=8, levels=25, kinds=300):
    """Few kinds of rows among many cells: a row repeats a kind, but for one column in ten."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, levels, (kinds, columns))
    out = kind[rng.choice(kinds, rows, p=rng.dirichlet(np.full(kinds, .5)))]
    other = rng.random(out.shape) < .1
    out[other] = rng.integers(0, levels, other.sum())
    return out, [levels] * columns


def many_levels(rows=30000, seed=24, columns=6, levels=60):
    """Numbers in bins: each column is the sum of a common part and one of its own."""
    rng = np.random.default_rng(seed)
    common = rng.normal(0, 1, rows)
    value = common[:, None] * rng.random(columns) + rng.normal(0, .5, (rows, columns))
    cut = [np.searchsorted(np.quantile(v, np.arange(1, levels) / levels), v) for v in value.T]
    return np.stack(cut, 1), [levels] * columns


SHAPES = {"classes": classes, "chain": chain, "sparse": sparse, "many_levels": many_levels,
          "small": lambda: classes(200, 25, (2, 3, 2, 4, 3, 2), 3),
          "binary60": lambda: classes(20000, 26, (2,) * 60, 12),
          "city": city, "census": census, "codes500": codes500, "salaries": salaries,
          "census100": lambda: census(50000, 11, 100), "census250": lambda: census(50000, 11, 250),
          "census500": lambda: census(50000, 11, 500),
          "wide100": lambda: wide(100), "wide250": lambda: wide(250), "wide500": lambda: wide(500),
          "wide1600": lambda: wide(1600, 20000)}
