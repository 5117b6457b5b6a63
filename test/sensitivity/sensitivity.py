"""Many pairs of neighbouring databases, in several databases at once."""
import multiprocessing
import os
import queue
import random as randomness
import sys
import time
from collections import Counter

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

import calls  # noqa: E402
import pairs  # noqa: E402
import questions  # noqa: E402
import selects  # noqa: E402
import wrapped  # noqa: E402
from dptest import Tap, connect, run  # noqa: E402

SEED = os.environ["SENSITIVITY_SEED"]
PAIRS = int(os.environ.get("SENSITIVITY_PAIRS", 1000))
SECONDS = float(os.environ.get("SENSITIVITY_SECONDS", 0))
ONLY = {"shape": os.environ["SENSITIVITY_SHAPE"].split()} if os.environ.get("SENSITIVITY_SHAPE") else None
SECONDS_MOST = max(900.0, 2 * SECONDS)  # on a machine with other work
METHODS = os.environ.get("SENSITIVITY_METHODS", "").split()
LANES = int(os.environ.get("SENSITIVITY_LANES", 0)) or (os.cpu_count() or 1) + 1
PAIRS_MOST = 3 * PAIRS  # where some worst case has not come up
MISSING_MOST = 60  # scenarios for what chance has left out
SHOWN = 12  # findings with their SQL
REACHED = 0.9995  # a ratio that is printed as 1.000

# Some scenarios are of what few questions come to, so that each mechanism meets its worst case.
SHARP = [
    {"methods": ["quantile"], "shape": ["table"], "kinds": ["bins", "range", "boolean", "domain"]},
    {"methods": ["batch", "batch", "mst"], "shape": ["table"], "kinds": ["boolean", "enum", "categories"]},
    {"methods": ["pegs", "marginal"], "shape": ["table"], "neighbours": ["replace_one"], "kinds": ["boolean", "enum"]},
    {"methods": ["sba", "sbhg", "histogram"], "shape": ["table"]},
    {"methods": ["flat", "uh", "cathist", "steps"], "shape": ["table"], "kinds": ["boolean", "categories", "open"]},
    {"shape": ["forest"], "kinds": ["boolean", "enum", "keys of a public table"]},
    {"methods": ["query", "flat", "sba"], "shape": ["tree"], "below": [["l"], ["c", "l"]], "kinds": ["boolean"], "targets": ["l"],
     "linked": ["a year", "a list", "a public table", "many keys of public tables"]},
    {"methods": ["sql"], "shape": ["tree"], "below": [["c"], ["c", "g"]], "reference": ["integer to integer"],
     "kinds": ["boolean", "enum", "range", "domain", "keys of a public table"],
     "selects": ["up", "within", "nested", "people", "people and rows", "by person", "all persons", "beside person", "beside rows"]},
    {"methods": ["sql"], "shape": ["table"], "kinds": ["boolean", "range", "range of a check", "keys of a public table"]},
    {"methods": ["sql"], "shape": ["table"], "kinds": ["range", "keys of a public table"], "selects": ["public"]},
    {"methods": ["sql"], "shape": ["tree"], "below": [["c"]], "reference": ["integer to integer"],
     "kinds": ["boolean", "range"], "selects": ["all persons", "within"]},
    {"methods": ["query", "flat", "sba"], "shape": ["tree"], "below": [["c"]], "storage": ["keys of partitions"],
     "kinds": ["boolean", "keys of a public table", "many keys of public tables"], "targets": ["c"]},
]
# Schemas in which every shape of a SELECT can be asked.
DEEP = {"shape": ["tree"], "below": [["c", "g"]], "reference": ["integer to integer"], "kinds": ["boolean", "range", "keys of a public table"]}
SHARP_EACH = 4
# Kinds of schemas in each of which some mechanism has to meet its worst case.
SHARP_KINDS = ["units of p in a forest", "units of q in a forest", "link table", "keys of partitions",
               "keys of a public table", "many keys of public tables"]


def narrow_of(number):
    if ONLY is not None:
        return ONLY
    if METHODS:
        return {"methods": METHODS}
    return SHARP[number // SHARP_EACH % len(SHARP)] if number % SHARP_EACH == 0 else None


class Work:
    """What the lanes share: the next scenario, and how many pairs there are."""

    def __init__(self):
        self.next = multiprocessing.Value("q", 0)
        self.pairs = multiprocessing.Value("q", 0)
        self.sharp = multiprocessing.Value("b", 0)  # whether each worst case has come up
        self.end = time.monotonic() + SECONDS
        self.last = time.monotonic() + SECONDS_MOST
        self.results = multiprocessing.Queue()

    def take(self):
        """The next scenario's number, or None at the end."""
        now = time.monotonic()
        least = PAIRS if self.sharp.value else PAIRS_MOST
        if now > self.last or (self.pairs.value >= least and now > self.end):
            return None
        with self.next:
            self.next.value += 1
            return self.next.value - 1

    def give(self, scenario):
        with self.pairs:
            self.pairs.value += scenario.counts["pairs"]
        self.results.put((scenario.counts, scenario.asked, scenario.best, scenario.calls, scenario.findings))


def work_in_lane(number, work):
    lane = pairs.Lane(number, os.environ["SPY_LIBRARY"])
    scenario = work.take()
    while scenario is not None:
        work.give(pairs.run_scenario(lane, SEED, scenario, narrow_of(scenario)))
        scenario = work.take()
    work.results.put(None)


class Totals:
    def __init__(self):
        self.counts, self.asked, self.calls = Counter(), Counter(), Counter()
        self.best = {}
        self.findings = []

    def add(self, counts, asked, best, calls_made, findings):
        self.counts.update(counts)
        self.asked.update(asked)
        self.calls.update(calls_made)
        for by, ratio in best.items():
            self.best[by] = max(self.best.get(by, 0), ratio)
        self.findings += findings

    def best_of(self, mechanism):
        return max((ratio for (name, _), ratio in self.best.items() if name == mechanism), default=0)

    def best_in(self, kind):
        return max((ratio for (_, of), ratio in self.best.items() if of == kind), default=0)

    def are_sharp(self):
        return all(self.best_of(mechanism) >= REACHED for mechanism in calls.MECHANISMS) and \
            all(self.best_in(kind) >= REACHED for kind in SHARP_KINDS)


def work_all(work):
    totals = Totals()
    lanes = [multiprocessing.Process(target=work_in_lane, args=(number, work)) for number in range(LANES)]
    for lane in lanes:
        lane.start()
    running = LANES
    while running:
        try:
            result = work.results.get(timeout=60)
        except queue.Empty:
            running = sum(lane.is_alive() for lane in lanes)
            continue
        if result is None:
            running -= 1
        else:
            totals.add(*result)
            work.sharp.value = totals.are_sharp()
    for lane in lanes:
        lane.join()
    totals.counts["lanes that broke off"] = sum(lane.exitcode != 0 for lane in lanes)
    return totals


# ---- what is said of it ----

def note(words):
    print("# " + words)


def tell(finding):
    return "scenario %d, %s\n%s\n%s" % (finding.scenario, ", ".join(finding.kinds), finding.words, finding.script)


def check_findings(tap, totals):
    tap.ok(not totals.findings, "%d pairs of %d schemas: no mechanism is handed more than is paid for, and nothing else"
           " differs" % (totals.counts["pairs"], totals.counts["scenarios"]),
           "%d findings" % len(totals.findings), *map(tell, totals.findings[:SHOWN]))


def check_ratios(tap, totals):
    for mechanism in calls.MECHANISMS:
        ratio = totals.best_of(mechanism)
        tap.ok(REACHED <= ratio <= 1 + calls.ROUNDING, "%s: of %d calls the largest ratio is %.3f"
               % (mechanism.replace("_", " "), totals.calls[mechanism], ratio))
    for kind in SHARP_KINDS:
        ratio = totals.best_in(kind)
        tap.ok(REACHED <= ratio <= 1 + calls.ROUNDING, "%s: the largest ratio is %.3f" % (kind, ratio))
    for (mechanism, of), ratio in sorted(totals.best.items()):
        note("%-22s %-30s %.3f" % (mechanism, of, ratio))


def never_asked(totals):
    with_names = set(questions.METHODS) - set(questions.SPECIAL)
    return sorted(name for name in with_names | set(questions.SINGLE_VALUED) | {
        *("sql: " + shape for shape in selects.SHAPES), "count(*)", "narrow", "columns above", "together", "table",
        "tree", "forest", "shared", "view"} if not totals.asked[name])


def ask_for_missing(totals):
    """What chance has left out is asked for by itself."""
    lane = pairs.Lane(LANES, os.environ["SPY_LIBRARY"])
    for number in range(MISSING_MOST):
        missing = never_asked(totals)
        if not missing:
            return
        one = missing[number % len(missing)]
        shape = one.partition("sql: ")[2]
        narrow = ({**DEEP, "methods": ["sql"], "selects": [shape]} if shape else
                  {"methods": [one]} if one in questions.METHODS else None)
        scenario = pairs.run_scenario(lane, SEED + " missing", number, narrow)
        totals.add(scenario.counts, scenario.asked, scenario.best, scenario.calls, scenario.findings)


def check_coverage(tap, totals):
    with_names = set(questions.METHODS) - set(questions.SPECIAL)
    known = {row[0] for row in run(connect(dbname="lane_0"), "SELECT method FROM dp_methods")} - {"pegs_ldiversity"}
    tap.equal(with_names - {"auto"}, known, "all methods are asked for but the one that is not private")
    tap.equal(never_asked(totals), [], "every method, measure and shape of schema comes up")
    for what in "schema", "rows":
        words = [name for name in totals.asked if name.startswith(what + ": ")]
        tap.ok(not totals.counts["refused " + what], "PostgreSQL takes all %s" % what, *words)
    tap.ok(totals.counts["refused protection"] < totals.counts["scenarios"] / 2, "most schemas are protected")
    for name, number in sorted(totals.asked.items(), key=lambda item: -item[1]):
        note("%5d %s" % (number, name))


def check_spy(tap):
    """That the spy sees all there is, and that what is installed has none."""
    tap.equal(wrapped.missing(), [], "the spy wraps every function that spends budget or draws at random")
    tap.ok(wrapped.charging() >= len(calls.MECHANISMS), "such functions are found")
    with open(os.path.join(os.environ["DPSYN_ROOT"], "dpsyn.so"), "rb") as library:
        tap.ok(b"DPSYN_SPY_DIRECTORY" not in library.read(), "the library that is built for use has no spy")


def repeat(tap, number):
    """One scenario alone."""
    lane = pairs.Lane(0, os.environ["SPY_LIBRARY"])
    scenario = pairs.run_scenario(lane, SEED, number, narrow_of(number))
    tap.ok(not scenario.findings, "scenario %d of seed %s" % (number, SEED), *map(tell, scenario.findings))
    note(repr(scenario.counts))


def main():
    tap = Tap()
    note("SENSITIVITY_SEED=%s repeats this run" % SEED)
    if os.environ.get("SENSITIVITY_SCENARIO"):
        repeat(tap, int(os.environ["SENSITIVITY_SCENARIO"]))
        tap.done()
    began = time.monotonic()
    check_spy(tap)
    totals = work_all(Work())
    if not METHODS and ONLY is None:
        ask_for_missing(totals)
    note("%d pairs in %.0f s" % (totals.counts["pairs"], time.monotonic() - began))
    tap.equal(totals.counts["lanes that broke off"], 0, "every lane came to its end")
    tap.ok(totals.counts["pairs"] >= PAIRS, "%d pairs at least" % PAIRS)
    check_findings(tap, totals)
    check_ratios(tap, totals)
    check_coverage(tap, totals)
    tap.done()


if __name__ == "__main__":
    main()
