"""Whether the spy wraps every function that spends budget or draws at random, as the sources say.

A function is looked at by its text: whoever charges a meter or calls a sampler of src/core/noise has
to be wrapped, or to serve functions of its own file that are. Whoever draws without noise, such as a
start row that is random for all data alike, stands in PUBLIC with the reason.
"""
import glob
import os
import re

ROOT = os.environ["DPSYN_ROOT"]
SPENDS = re.compile(r"\bdp_meter_charge\(")
DRAWS = re.compile(r"\b(dp_rng_(u64|bit|below)|dp_bernoulli\w*|dp_geometric_exp|dp_discrete_\w+|dp_categorical)\(")
FUNCTION = re.compile(r"^(static )?[A-Za-z][\w ]*\**\n(\w+)\([^;{]*\)\n\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)

# They draw and spend nothing: what they draw has one law, whatever the data are.
PUBLIC = {
    "dp_seed_pool_draw": "a random row of the public domain, or of a public table",
    "dp_network_select": "the column with which a network begins: any",
}


def internal():
    """Noise that is not charged for: only src/core/mechanism may use it (check-arrows)."""
    with open(os.path.join(ROOT, "src", "core", "mechanism", "internal.h"), encoding="utf-8") as header:
        return set(re.findall(r"^extern [\w ]*?\**(\w+)\(", header.read(), re.MULTILINE))


def functions(path):
    """(name, whether the file alone can call it, text) of the functions of a file."""
    with open(path, encoding="utf-8") as source:
        words = source.read()
    return [(match.group(2), match.group(1) is not None, match.group(3)) for match in FUNCTION.finditer(words)]


def wrapped_names():
    """What the linker is told to wrap."""
    names = set()
    for path in glob.glob(os.path.join(ROOT, "test", "sensitivity", "spy", "*.c")):
        with open(path, encoding="utf-8") as source:
            names |= set(re.findall(r"^__wrap_(\w+)|^WRAPPED\((\w+)", source.read(), re.MULTILINE))
    return {first or second for first, second in names} - {""}


def reached(file_functions, found):
    """Those of a file's functions that other files can call and that come to one of found."""
    while True:
        more = {name for name, _, text in file_functions
                if name not in found and any(re.search(r"\b%s\b" % inner, text) for inner in found)}
        if not more:
            return {name for name, own, _ in file_functions if name in found and not own}
        found |= more


def missing():
    """Functions that ought to be wrapped, with their files."""
    names = wrapped_names()
    known = names | set(PUBLIC) | internal()
    found = []
    for path in sorted(glob.glob(os.path.join(ROOT, "src", "**", "*.c"), recursive=True)):
        room = os.path.basename(os.path.dirname(path))
        if room in ("noise", "accounting", "budget"):  # the samplers and the meter
            continue
        listed = functions(path)
        drawing = {name for name, _, text in listed
                   if (SPENDS.search(text) or DRAWS.search(text)) and name not in known}
        for name in reached([entry for entry in listed if entry[0] not in known], drawing):
            found.append("%s: %s" % (os.path.relpath(path, ROOT), name))
    return found


def charging():
    """How many functions charge a meter, so that the pattern is seen to find them."""
    return sum(1 for path in glob.glob(os.path.join(ROOT, "src", "core", "mechanism", "*.c"))
               for _, _, text in functions(path) if SPENDS.search(text))
