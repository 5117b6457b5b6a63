"""Releases, histograms and queries at random: every method, the options that change what it does
behind the wall, and every measure."""
import json
from collections import namedtuple

import selects
from selects import quoted

# sql: a statement; method; kinds: names of what else it asks
Question = namedtuple("Question", "sql method kinds")

EPSILONS = (0.02, 0.3, 1, 4, 50, 2000)
DELTAS = (1e-9, 1e-6, 0.01)
# how often each is asked; those that take long less
METHODS = {"sba": 3, "sbhg": 4, "steps": 4, "uh": 2, "flat": 2, "privbayes": 3, "cipher": 2, "mwem": 2, "pegs": 4,
           "pmi": 1, "marginal": 2, "cathist": 2, "mst": 2, "aim": 2, "auto": 1, "histogram": 4, "query": 10,
           "quantile": 1, "batch": 1, "sums": 1, "sql": 8}
SPECIAL = ("quantile", "batch", "sums", "sql")  # of a method what it comes to seldom
SINGLE_VALUED = ("avg", "sum", "var", "stddev", "median", "count", "count distinct", "quantile")
CELLS_MOST = 4000  # of tables of all columns


def array(names):
    """'{a,"b->>''c''"}' """
    return quoted("{%s}" % ",".join('"%s"' % name.replace("\\", "\\\\").replace('"', '\\"') for name in names))


def budget(random, wants_delta):
    """epsilon and delta. wants_delta: 1 needs one, 0 may have one."""
    delta = random.choice(DELTAS) if wants_delta or random.random() < 0.4 else 0
    return random.choice(EPSILONS), delta


def some(random, items, fewest=1):
    items = list(items)
    return random.sample(items, random.randint(min(fewest, len(items)), len(items)))


def share(random):
    return random.choice((0.05, 0.3, 0.5))


def sets_of(random, names):
    """How many columns a table has."""
    return random.choice((1, 2)) if len(names) > 1 else 1


# ---- options of methods: each is a function of (random, names of the attributes) ----

def ring(random, names):
    return {"column_order": random.sample(names, len(names))}


def parents_of(random, names):
    """Public parents of each column: those before it in some order."""
    order = random.sample(names, len(names))
    return {name: order[max(0, at - random.randrange(1, 3)):at] for at, name in enumerate(order)}


def features(random, names):
    return {"network": parents_of(random, names)}


def of_sba(random, names):
    return {"dense_cells": random.choice((0, 1, 100000)), "count_share": share(random)}


def of_sbhg(random, names):
    options = random.choice((
        lambda: {"parents": random.choice((0, 1, 2, "auto")), "selection_share": share(random),
                 "score": random.choice(("dependence", "information"))},
        lambda: features(random, names), lambda: ring(random, names)))()
    options["dense_cells"] = random.choice((0, 5, 10000))
    return options


def of_steps(random, names):
    options = random.choice((
        lambda: {"score": random.choice(("aic", "bic", "dependence")), "branches": random.choice(("common", "own")),
                 "selection_share": share(random)},
        lambda: {"score": "dependence", "branches": "clusters"}, lambda: ring(random, names),
        lambda: {"groups": {"1": random.sample(names, 1)}}))()
    if "groups" not in options:
        options["layers"] = random.randrange(3)
    options["dense_cells"] = random.choice((0, 20, 1000000))
    return options


def of_uh(random, names):
    return {"layers": random.randrange(4), "order_seed": random.randrange(9), "dense_cells": random.choice((0, 10 ** 6)),
            "no_false_positives": random.choice((0.1, 0.9))}


def of_flat(random, names):
    return {"dense_cells": random.choice((0, 10 ** 6)), "no_false_positives": random.choice((0.01, 0.9))}


def of_privbayes(random, names):
    return random.choice((lambda: {}, lambda: {"parents": random.randrange(3), "selection_share": share(random)},
                          lambda: {"theta": 0.01}, lambda: {"network": parents_of(random, names)}))()


def of_cipher(random, names):
    return {"workload": sets_of(random, names), "solver": random.choice(("entropic", "centred", "ridge", "graphical"))}


def of_mwem(random, names):
    return {"rounds": random.randrange(1, 4), "selection_share": share(random), "workload": sets_of(random, names)}


def of_pegs(random, names):
    options = random.choice((lambda: {"parents": random.randrange(3), "selection_share": share(random)},
                             lambda: features(random, names), lambda: ring(random, names)))()
    options.update(rows=random.randrange(1, 5), block=random.choice((1, 1, 2, 3)), sweeps=random.choice((1, 1, 2)),
                   buckets=random.choice((1, 8)),
                   alpha=random.choice(("flat", "flat", "margin")))
    return options


def of_pmi(random, names):
    return {"rows": random.randrange(1, 3), "lambda": random.choice((0.1, 0.001)), "sweeps": 1,
            "alpha_mixing": random.choice((0, 0.5, 1))}


def of_marginal(random, names):
    return random.choice(({}, {"mechanism": "bootstrap", "rows": 3}))


def of_cathist(random, names):
    return {"joint": random.random() < 0.5, "no_false_positives": random.choice((0.1, 0.9))}


def of_both(random, names):
    """What mst and aim share."""
    options = {"effort": random.choice(("fast", "normal"))}
    if len(names) > 1 and random.random() < 0.3:
        options["predict"] = random.choice(names)
    return options


def of_mst(random, names):
    return {"score": random.choice(("gain", "distance")), "group_rare": random.random() < 0.5,
            "margin_share": share(random), "selection_share": random.choice((0.1, 0.3)), "trees": random.choice((1, 8)),
            **of_both(random, names)}


def of_aim(random, names):
    return {"workload": sets_of(random, names), "rounds": random.choice((2, 6)), "batch": random.choice((1, 1, 3)),
            "group_rare": random.random() < 0.5, "selection_share": share(random), **of_both(random, names)}


def of_auto(random, names):
    return {"table_rows": random.choice((10, 10000))}  # and not what the release before told


OPTIONS = {"sba": of_sba, "sbhg": of_sbhg, "steps": of_steps, "uh": of_uh, "flat": of_flat, "privbayes": of_privbayes,
           "cipher": of_cipher, "mwem": of_mwem, "pegs": of_pegs, "pmi": of_pmi, "marginal": of_marginal,
           "cathist": of_cathist, "mst": of_mst, "aim": of_aim, "auto": of_auto}
NEEDS_DELTA = {"sba", "sbhg"}


def is_open(attribute):
    return attribute.declared is not None and attribute.declared.startswith("open")


def needs_delta(attributes):
    return any(is_open(attribute) and "domain" not in attribute.declared for attribute in attributes)


def modelled(attributes):
    return [attribute for attribute in attributes if attribute.cells > 0]


def with_bases(chosen, attributes):
    """With each distance the column that it is from."""
    names = {attribute.name for attribute in chosen}
    return [attribute for attribute in attributes
            if attribute.name in names or attribute.name.replace("_from", "_to") in names]


def batch(random, target):
    """aim chooses several tables between two fits."""
    options = {"workload": 1, "batch": 3, "rounds": 6, "selection_share": 0.5, "partial": True,
               "columns": [attribute.name for attribute in modelled(target.attributes)]}
    return Question("SELECT dp_release('%s', 'aim', %r, %r, %s)" % (target.name, random.choice(EPSILONS), DELTAS[-1],
                                                                   quoted(json.dumps(options))), "aim", {"aim"})


def release(random, target, method):
    attributes = modelled(target.attributes)
    chosen = attributes if random.random() < 0.6 else with_bases(some(random, attributes), attributes)
    names = [attribute.name for attribute in chosen]
    cells = 1
    for attribute in chosen:
        cells *= attribute.cells
    options = OPTIONS[method](random, names)
    if cells > CELLS_MOST:  # tables of all columns stay small
        names = [attribute.name for attribute in with_bases(chosen[:3], chosen)]
        options = {} if any(kind in options for kind in ("network", "column_order", "network")) else options
    options.update(columns=names, partial=True)
    if method not in ("pegs", "pmi") and options.get("mechanism") != "bootstrap" and random.random() < 0.15:
        options["independent_sets"] = True
    if method in ("pegs", "pmi") and target.name == "t" and random.random() < 0.3 and not any(map(is_open, chosen)):
        options["seed_pool"] = "s.pool"
    for option in "range_share", "open_share", "open_no_false_positives":
        if random.random() < 0.2:
            options[option] = share(random)
    epsilon, delta = budget(random, method in NEEDS_DELTA or needs_delta(chosen))
    sets = 2 if options.get("independent_sets") else 1
    if random.random() < 0.5 and method == "pegs":
        options.pop("buckets", None)
    return Question("SELECT dp_release('%s', %s, %r, %r, %s, %d)"
                    % (target.name, quoted(method), epsilon, delta, quoted(json.dumps(options)), sets), method, {method})


def together(random, target):
    # of a tree that is one table auto chooses by the number of rows that was released before
    method = random.choice(("mst", "aim") if "q" in target.together else ("mst", "aim", "auto"))
    epsilon, delta = budget(random, needs_delta(target.attributes) or random.random() < 0.6)
    options = {}
    if method == "mst":
        options = of_mst(random, [])
    elif method == "aim":
        options = {"rounds": random.choice((2, 6)), "workload": 2, "batch": random.choice((1, 3))}
    return Question("SELECT dp_release('%s', %s, %r, %r, %s)"
                    % (target.name, quoted(method), epsilon, delta, quoted(json.dumps(options))),
                    method, {method, "together"})


# ---- histograms ----

def domain_of(random, attributes):
    """A domain of an open column, for this release."""
    for attribute in attributes:
        if attribute.declared == "open => true" and random.random() < 0.5:
            return "jsonb_build_object(%s, '[\"ada\", \"bo\", \"ed\"]'::jsonb)" % quoted(attribute.name)
    return "NULL"


def histogram(random, target):
    mechanism = random.choice(("cathist", "laplace", "stability", "stability"))
    attributes = modelled(target.attributes)
    chosen = some(random, attributes, 0)[:2]
    domain = domain_of(random, chosen) if mechanism != "stability" else "NULL"
    epsilon, delta = budget(random, mechanism == "stability" or needs_delta(chosen))
    return Question("SELECT * FROM dp_histogram('%s', %s, %r, %r, mechanism => '%s', no_false_positives => %s, domain => %s)"
                    % (target.name, array([attribute.name for attribute in chosen]), epsilon, delta, mechanism,
                       random.choice(("NULL", "0.5")) if mechanism == "cathist" else "NULL", domain),
                    "histogram", {"histogram", "histogram " + mechanism})


# ---- queries ----

def measure_of(random, attribute):
    """A measure of a column and what it is called."""
    known = {"number": SINGLE_VALUED, "time": ("avg", "var", "stddev", "median", "count", "count distinct", "quantile"),
             None: ("count", "count distinct")}
    kind = random.choice(known[attribute.measured])
    if kind == "count distinct" and not (attribute.levels or attribute.declared is None):
        kind = "count"
    name = attribute.name if attribute.written is None and not set(">(") & set(attribute.name) else '"%s"' % attribute.name
    if kind == "count distinct":
        return "count(distinct %s)" % name, kind
    if kind == "quantile":
        return "quantile(%s, %s)" % (name, random.choice(("0.01", "0.25", "0.9"))), kind
    return "%s(%s)" % (kind, name), kind


def filter_of(random, attributes):
    """A filter of one or two columns."""
    able = [attribute for attribute in attributes if attribute.levels or attribute.bounds]
    found = {}
    for attribute in some(random, able)[:2] if able else []:
        if attribute.levels:
            found[attribute.name] = random.choice((attribute.levels[0], list(attribute.levels)))
        else:
            found[attribute.name] = random.choice((list(attribute.bounds), [None, attribute.bounds[1]],
                                                   [attribute.bounds[0], None]))
    return found


def given_bounds(random):
    """Bounds of what a unit adds, as further arguments, and the kinds that they are."""
    if random.random() < 0.6:
        return "", set()
    rows, total = random.choice((None, 1, 2, 3)), random.choice((None, 0.5, 1, 7, 1000))
    return (", max_rows_per_unit => %s, max_sum_per_unit => %s" % tuple("NULL" if n is None else n for n in (rows, total)),
            ({"rows given"} if rows else set()) | ({"sum given"} if total else set()))


def quantile(random, target):
    """Quantiles of one column, by another, with a delta."""
    attributes = modelled(target.attributes)
    able = [attribute for attribute in attributes if attribute.measured] or attributes
    name = '"%s"' % random.choice(able).name
    by = [attribute.name for attribute in attributes if not attribute.measured][:random.randrange(2)]
    return Question("SELECT * FROM dp_query('%s', %s, %r, by => %s, delta => %r)"
                    % (target.name, array(["quantile(%s, %s)" % (name, q) for q in random.sample(
                        ("0.1", "0.3", "0.5", "0.8", "0.9"), 3)]), random.choice(EPSILONS), array(by), DELTAS[-1]),
                    "query", {"query", "quantile"})


def sums(random, target):
    """The sum of each number, over all rows."""
    able = [attribute.name for attribute in modelled(target.attributes) if attribute.measured == "number"]
    epsilon, delta = budget(random, False)
    bounds, kinds = given_bounds(random)
    return Question("SELECT * FROM dp_query('%s', %s, %r, delta => %r%s)"
                    % (target.name, array(['sum("%s")' % name for name in able] or ["count(*)"]), epsilon, delta, bounds),
                    "query", kinds | ({"query", "sum"} if able else {"query", "count(*)"}))


def query(random, target):
    attributes = modelled(target.attributes)
    if target.above and random.random() < 0.5:
        attributes = attributes + modelled(target.above)
    measured = [attribute for attribute in attributes if not is_open(attribute)]  # open ones can only group
    asked = [measure_of(random, attribute) for attribute in some(random, measured)[:3]]
    measures, kinds = [], {"query"}
    if random.random() < 0.6 or not asked:
        measures.append("count(*)")
        kinds.add("count(*)")
    for words, kind in asked:
        if words not in measures:
            measures.append(words)
            kinds.add(kind)
    by = [attribute for attribute in some(random, attributes, 0)[:2]] if random.random() < 0.6 else []
    filtered = filter_of(random, attributes) if random.random() < 0.4 else None
    narrow = random.random() < 0.2
    kinds |= {"narrow"} if narrow else set()
    if any("." in attribute.name for attribute in attributes):
        kinds.add("columns above")
    epsilon, delta = budget(random, needs_delta(by) or needs_delta(
        [attribute for attribute in attributes if any(attribute.name in words for words in measures)]))
    bounds, given = given_bounds(random)
    return Question("SELECT * FROM dp_query('%s', %s, %r, by => %s, filter => %s, delta => %r, narrow => %s%s)"
                    % (target.name, array(measures), epsilon, array([attribute.name for attribute in by]),
                       quoted(json.dumps(filtered)) if filtered else "NULL", delta, "true" if narrow else "false", bounds),
                    "query", kinds | given | ({"filter"} if filtered else set()))


# ---- questions in SQL ----

def sql(random, target, shapes):
    """A SELECT (selects.py)."""
    if not selects.plain(target.attributes):
        return sums(random, target)
    select = selects.Select(random, target, shapes)
    epsilon, delta = budget(random, any(is_open(attribute) for attribute in target.attributes))
    bounds, given = given_bounds(random)
    return Question("SELECT * FROM dp_sql_json(%s, %r, %r%s)" % (quoted(select.words), epsilon, delta, bounds),
                    "query", {"query", "sql", "sql: " + select.shape} | given)


def ask(random, target, methods=None, shapes=None):
    """A question about a target, by one of the methods if some are named. shapes: of SELECTs."""
    methods = target.methods or methods
    if target.together:
        return together(random, target)
    if methods:
        method = random.choice(methods)
    else:
        method = random.choices(list(METHODS), list(METHODS.values()))[0]
    if method == "query":
        return query(random, target)
    if method == "quantile":
        return quantile(random, target)
    if method == "batch":
        return batch(random, target)
    if method == "sums":
        return sums(random, target)
    if method == "sql":
        return sql(random, target, shapes)
    if method == "histogram":
        return histogram(random, target)
    return release(random, target, method)
