"""Builds that are wrong on purpose: the audit must say so, each time and by the right check.

Each fault is one replacement in a copy of the sources. The copy is built beside the
installed extension, not over it, and the audit is run with its library. A replacement
that does not match exactly once is a failure: a fault that cannot be planted any more
must not pass for one that is caught.
"""
import os
import re
import shutil
import subprocess
import sys
from collections import namedtuple
from contextlib import closing

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from dptest import Tap, connect, one, run, wait_until  # noqa: E402

ROOT = os.environ["DPSYN_ROOT"]

# replacements: (file, old, new). cases: what the audit runs. caught_by: the failing check,
# as a pattern over its whole name; other checks may fail as well, but not those in SOUND.
Fault = namedtuple("Fault", "name replacements cases caught_by releases")

SOUND = re.compile(r"this library alone|\d+ releases|all cases that were asked for|"
                   r"beta tail|chi-square tail|Clopper-Pearson against|against its total")

FAULTS = [
    Fault("half the noise",
          [("src/core/mechanism.c",
            "\tDP_TRY(dp_laplace_rate(epsilon_nano, sensitivity_l1, &rate));\n\tDP_TRY(dp_meter_charge",
            "\tDP_TRY(dp_laplace_rate(2 * epsilon_nano, sensitivity_l1, &rate));\n"
            "\tDP_TRY(dp_meter_charge")],
          "sba-dense/add_remove", r"sba dense, add_remove: epsilon is at least .*", 2000),
    Fault("threshold off by one",
          [("src/core/mechanism_stability.c",
            "\t*threshold_rows = high;\n", "\t*threshold_rows = high - 1;\n")],
          "sbhg-stability-rare/add_remove sba-open-rare",
          r"sbhg stability rare, add_remove: with it, that shows .*", 700),
    Fault("delta ignored: cells are released without regard to the threshold",
          [("src/core/mechanism_stability.c",
            "\t\tif (noisy[i] < threshold)\n\t\t\tnoisy[i] = 0;\n",
            "\t\tif (noisy[i] < threshold)\n\t\t\tnoisy[i] = threshold;\n")],
          "sba-stability-rare/replace_one sbhg-open-rare",
          r"sbhg open rare, replace_one: with it, that shows .*", 500),
    Fault("parents are the best, not drawn",
          [("src/core/mechanism.c",
            "\t\tDP_TRY(dp_gap_survives(rng, rate, (uint64_t) best - (uint64_t) scores[i], &heads));\n",
            "\t\t(void) rate;\n\t\theads = scores[i] == best;\n")],
          "sbhg-selected/add_remove", r"sbhg selected, add_remove: epsilon is at least .*", 1000),
    Fault("the debit is committed with the answer, after the data was read",
          [("src/pg/worker.c",
            "\tdebit = dp_ledger_debit(&state->request, state->prepared);\n\ttransaction_commit();\n",
            "\tdebit = dp_ledger_debit(&state->request, state->prepared);\n"
            "\tCommandCounterIncrement();\n"),
           ("src/pg/worker.c",
            "\ttransaction_begin(true);\n\tMemoryContextSwitchTo(state->memory);\n\trelease_measure",
            "\tUpdateActiveSnapshotCommandId();\n"
            "\tMemoryContextSwitchTo(state->memory);\n\trelease_measure")],
          "debit", r"the debit is committed before the data is read", 0),
    Fault("values that nobody has are never told",
          [("src/core/mechanism_sparse.c",
            "\tbool kept = false;\n\n\trelease->hit = start;\n",
            "\tbool kept = release->cells > 0;\n\n\trelease->hit = release->cells;\n")],
          "histogram-cathist/add_remove", r"histogram cathist, add_remove: epsilon is at least .*", 1000),
    Fault("a block of rows draws from the same counts again",
          [("src/core/mechanism_perturbed.c", "counts->visited == perturbed->block;",
            "counts->visited == perturbed->block && perturbed->block == 0;")],
          "pegs-block/replace_one", r"pegs block, replace_one: rows without the unit have the law of .*",
          1000),
    Fault("all rows of a person count",
          [("src/pg/source.c", "\" WHERE place <= %u) bounded\"",
            "\" WHERE place <= %u OR true) bounded\"")],
          "sba-unit-dense sba-unit-rare", r"sba unit dense, add_remove: epsilon is at least .*", 1000),
    Fault("the sensitivity of mwem's score is an eighth",
          [("src/core/mwem_score.c", "\treturn DP_MWEM_UNIT * dp_unit_l1(unit);\n",
            "\treturn DP_MWEM_UNIT * dp_unit_l1(unit) / 8;\n")],
          "mwem/replace_one", r"mwem, replace_one: epsilon is at least .*", 1500),
    Fault("a quarter of sigma",
          [("src/core/mechanism_gaussian.c",
            "uint64_t unit = HALF_RHO_ONE, common;", "uint64_t unit = HALF_RHO_ONE / 16, common;")],
          "mst-gaussian/add_remove", r"mst gaussian, add_remove: epsilon is at least .*", 1000),
]

tap = Tap()


class Broken(Exception):
    """The fault could not be planted or built."""


def replace(tree, file, old, new):
    path = os.path.join(tree, file)
    with open(path, encoding="utf-8") as source:
        words = source.read()
    if words.count(old) != 1:
        raise Broken("%s: found %d times:\n%s" % (file, words.count(old), old))
    with open(path, "w", encoding="utf-8") as source:
        source.write(words.replace(old, new))


def build(number, fault):
    """The path of the library: only what was changed is compiled."""
    tree = os.path.join(os.environ["SERVER_DIR"], "fault_%d" % number)
    os.mkdir(tree)
    for name in os.listdir(ROOT):
        if name in ("Makefile", "dpsyn.control") or name.startswith("dpsyn--"):
            shutil.copy2(os.path.join(ROOT, name), tree)
    shutil.copytree(os.path.join(ROOT, "src"), os.path.join(tree, "src"),
                    ignore=shutil.ignore_patterns("*.bc"))
    for words in fault.replacements:
        replace(tree, *words)
    command = ["make", "-s", "-C", tree, "--no-print-directory",
               "PG_CONFIG=" + os.environ["PG_CONFIG"], "dpsyn.so"]
    if os.environ.get("CC"):
        command.append("CC=" + os.environ["CC"])
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          universal_newlines=True, check=False)
    if done.returncode:
        raise Broken(done.stdout)
    library = os.path.join(tree, "dpsyn.so")
    for path in tree, library:  # the server's user reads it
        os.chmod(path, 0o755)
    return library


def aim_workers(library):
    """A background worker finds "dpsyn" in this path, which processes inherit when they start."""
    path = os.path.dirname(library)
    with closing(connect()) as boss:
        run(boss, "ALTER SYSTEM SET dynamic_library_path = '%s'" % path)
        run(boss, "SELECT pg_reload_conf()")

    def taken():
        with closing(connect()) as again:
            return one(again, "SHOW dynamic_library_path") == path
    wait_until(taken, "the new dynamic_library_path")


def audit(number, fault, library):
    """(exit code, names of checks that passed, of those that failed, what was said)."""
    database = "fault_%d" % number
    with closing(connect()) as boss:
        run(boss, "CREATE DATABASE " + database)
    environment = dict(os.environ, PGDATABASE=database, AUDIT_LIBRARY=library,
                       AUDIT_CASES=fault.cases, AUDIT_RELEASES=str(fault.releases))
    done = subprocess.run([sys.executable, "audit.py"], env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, universal_newlines=True, check=False)
    passed = re.findall(r"^ok \d+ - (.*)$", done.stdout, re.MULTILINE)
    failed = re.findall(r"^not ok \d+ - (.*)$", done.stdout, re.MULTILINE)
    planned = re.findall(r"^1\.\.(\d+)$", done.stdout, re.MULTILINE)
    if planned != [str(len(passed) + len(failed))]:
        raise Broken("the audit did not end:\n" + done.stdout)
    return done.returncode, passed, failed, done.stdout


def try_fault(number, fault):
    title = "the audit catches: " + fault.name
    try:
        library = build(number, fault)
        aim_workers(library)
        status, _, failed, said = audit(number, fault, library)
    except Broken as error:
        tap.ok(False, title, error)
        return
    tap.ok(status == 1 and any(re.fullmatch(fault.caught_by, check) for check in failed)
           and not any(SOUND.search(check) for check in failed), title, said)


def try_impossible():
    """A replacement that matches nothing, and one that matches twice."""
    tree = os.path.join(os.environ["SERVER_DIR"], "impossible")
    os.mkdir(tree)
    with open(os.path.join(tree, "file"), "w", encoding="utf-8") as file:
        file.write("a b b c")
    refused = 0
    for old in "b", "d":
        try:
            replace(tree, "file", old, "x")
        except Broken:
            refused += 1
    replace(tree, "file", "c", "x")
    tap.equal(refused, 2, "a fault that cannot be planted is a failure")


def try_none():
    """That a build is a copy is not what fails."""
    nothing = Fault("nothing", [], "sba-stability-rare/add_remove debit", "", 1000)
    try:
        library = build(0, nothing)
        aim_workers(library)
        status, _, failed, said = audit(0, nothing, library)
    except Broken as error:
        tap.ok(False, "the audit passes a copy without a fault", error)
        return
    tap.ok(status == 0 and not failed, "the audit passes a copy without a fault", said)


def main():
    only = sys.argv[1:]  # parts of names
    try_impossible()
    try_none()
    for number, fault in enumerate(FAULTS, 1):
        if not only or any(words in fault.name for words in only):
            try_fault(number, fault)
    tap.done()


main()
