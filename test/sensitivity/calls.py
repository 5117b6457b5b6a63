"""What the spy wrote down of two releases, compared call by call.

Both releases had the same outputs of all mechanisms up to each call. So a call may differ in the
exact vector that it was handed, and in nothing else; and that vector by no more than the call was
charged for. A ratio is how far it moved, divided by what was paid for: 1 is the most there may be.
"""
import math
from collections import namedtuple

Call = namedtuple("Call", "kind public places")  # public: a dict of numbers; places: name -> number

ROUNDING = 1e-9  # of ratios that are computed in floating point
NANO, PICO = 1e-9, 1e-12


class Wrong(Exception):
    """What was found: a kind in a word or two, and words."""

    def __init__(self, kind, words):
        super().__init__("%s: %s" % (kind, words))
        self.kind = kind


def read(path):
    """The calls in a file."""
    try:
        with open(path, encoding="ascii") as lines:
            return [parse(line) for line in lines]
    except FileNotFoundError:
        return []


def parse(line):
    if line.startswith("wrong "):
        return Call("wrong", line[len("wrong "):].strip(), {})
    head, _, places = line.partition(" :")
    kind, *public = head.split()
    return Call(kind, {name: int(value) for name, value in (word.split("=") for word in public)},
                {name: int(value) for name, value in (word.rsplit("=", 1) for word in places.split())})


# ---- how far a vector moved ----

def moves(a, b):
    """Place -> by how much it differs, where it does."""
    return {place: b.places.get(place, 0) - a.places.get(place, 0)
            for place in a.places.keys() | b.places.keys()
            if a.places.get(place, 0) != b.places.get(place, 0)}


def l1(public):
    return public["rows"] * (2 if public["replace"] else 1)


def of_laplace(public, moved):
    return sum(map(abs, moved.values())) / public["sensitivity"]


def of_gaussian(public, moved):
    return sum(move * move for move in moved.values()) / public["sensitivity"]


def of_scores(public, moved):
    return max(map(abs, moved.values()), default=0) / public["sensitivity"]


def of_groups(public, moved):
    """The sum over groups of the largest move of a score."""
    largest = {}
    for place, move in moved.items():
        group = int(place) // public["candidates"]
        largest[group] = max(largest.get(group, 0), abs(move))
    return sum(largest.values()) / (public["sensitivity"] * l1(public))


def of_counts(public, moved):
    """Rows that come and rows that go: of each no more than one unit has."""
    more = sum(move for move in moved.values() if move > 0)
    less = -sum(move for move in moved.values() if move < 0)
    return max((more + less) / l1(public), more / public["rows"], less / public["rows"])


RATIO = {
    "laplace": of_laplace,
    "gaussian": of_gaussian,
    "flip": of_scores,
    "exponential": of_scores,
    "exponential_allowed": of_scores,
    "flip_disjoint": of_groups,
    "exponential_disjoint": of_groups,
    "privtree": of_counts,
    "sparse": of_counts,
    "stability": of_counts,
}
MECHANISMS = sorted(RATIO) + ["perturbed"]


# ---- draws from perturbed distributions ----

class Block:
    """The draws that one charge pays for: their largest ratios multiply to e^epsilon at most."""

    def __init__(self, public):
        self.public = public
        self.loss = 0.0

    def weigh(self, call, extra):
        """The weight of a category, and of all."""
        public = self.public
        counted = 1 if public["fitted"] else public["unit"]
        if not public["fitted"] and public["draws"] > 1 and call.public["drawn_before"]:
            counted = 0

        def weight(place):
            return counted * call.places.get(place, 0) + public["base"] + extra.get(place, 0)

        listed = sum(call.places.values())
        return weight, counted * listed + public["base"] * call.public["levels"] + sum(extra.values())

    def draw(self, a, b, extra):
        (weight_a, all_a), (weight_b, all_b) = self.weigh(a, extra), self.weigh(b, extra)
        places = a.places.keys() | b.places.keys() | extra.keys()
        ratios = [weight_a(place) * all_b / (weight_b(place) * all_a) for place in places]
        if len(places) < a.public["levels"]:
            ratios.append(all_b / all_a)
        self.loss += max(abs(math.log(ratio)) for ratio in ratios)

    def ratio(self):
        return self.loss / (self.public["epsilon"] * NANO)


# ---- what was paid ----

def least_cost(call):
    """(part, least amount) that a call must be charged."""
    public = call.public
    if call.kind == "privtree" and public["concentrated"]:
        epsilon = public["epsilon"] * NANO
        return {"rho": epsilon * math.tanh(epsilon / 2) / PICO * (1 - ROUNDING) - 1}
    return {part: public[part] for part in ("epsilon", "delta", "rho") if part in public}


def check_cost(call, paid):
    for part, least in least_cost(call).items():
        if paid.public[part] < least:
            raise Wrong("charge", "%s is charged %s %d and spends %d"
                        % (call.kind, part, paid.public[part], least))


# ---- two releases ----

def public_of(call):
    """What must be the same. A histogram that no row is in may be another one than one whose rows
    do not count any more: it is told by what they weigh."""
    return call.public["levels"] if call.kind == "draw" else call.public


def same(a, b):
    if a.kind != b.kind or public_of(a) != public_of(b):
        raise Wrong("parameters", "one call is %s %r, and of the neighbour %s %r"
                    % (a.kind, a.public, b.kind, b.public))
    if a.kind not in RATIO and a.kind != "draw" and a.places != b.places:
        raise Wrong("parameters", "%s has %r, and of the neighbour %r" % (a.kind, a.places, b.places))


def compare(first, second):
    """Ratios of the mechanisms, (kind, ratio) for each call. Raises Wrong."""
    ratios = []
    block = None
    for at, (a, b) in enumerate(zip(first, second)):
        for call in a, b:
            if call.kind == "wrong":
                raise Wrong("replay", call.public)
        same(a, b)
        if a.kind in RATIO:
            ratios.append((a.kind, RATIO[a.kind](a.public, moves(a, b))))
        elif a.kind == "block":
            block = Block(a.public)
        elif a.kind == "draw":
            after = first[at + 1] if at + 1 < len(first) else None
            block.draw(a, b, after.places if after is not None and after.kind == "extra" else {})
            ratios.append(("perturbed", block.ratio()))
        elif a.kind == "paid":
            spender = first[at - 1] if first[at - 1].kind != "allowed" else first[at - 2]
            if a.public["status"] == 0:
                check_cost(spender, a)
        if ratios and ratios[-1][1] > 1 + ROUNDING:
            raise Wrong("sensitivity", "%s moves %.4g times what is paid for (%r): %r"
                        % (ratios[-1][0], ratios[-1][1], a.public, sorted(moves(a, b).items())[:12]))
    if len(first) != len(second):
        longer = max(first, second, key=len)
        raise Wrong("calls", "%d calls, and of the neighbour %d; then %s"
                    % (len(first), len(second), longer[min(len(first), len(second))].kind))
    return ratios
