"""Runs the theorems of theorems.py and the faults that they must notice.

A harness is compiled with the sources that it includes (goto-cc), functions that it abstracts
from are replaced by its own (goto-instrument), and cbmc looks at all inputs. A planted fault is one
replacement in a copy of the sources, and cbmc must find inputs with which a statement of the
theorem does not hold. A replacement that does not match exactly once is a failure.

A theorem that is tested and not proved is a program: it is compiled and run, and ends with an error
where a statement does not hold. That needs libquadmath, and long doubles of 64 bits.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

from theorems import FAULTS, THEOREMS

ROOT = os.environ["DPSYN_ROOT"]
CC = os.environ.get("CC", "gcc")
TOOLS = ["goto-cc", "goto-instrument", "cbmc"]
WANTED = os.environ.get("PROOF", "quick").split()
LANES = int(os.environ.get("PROOF_LANES", os.cpu_count()))
SECONDS = float(os.environ.get("PROOF_SECONDS", 900))

# Beside what cbmc checks of itself: bounds, pointers, divisions by 0, shifts, signed overflow.
CHECKS = ["--pointer-overflow-check"]
WRAPS = ["--unsigned-overflow-check", "--conversion-check"]

PROVED, REFUTED = 0, 10  # exit codes of cbmc


class NotRun(Exception):
    pass


class NotHere(Exception):
    """What a test needs is not on this machine."""


def call(command, seconds):
    """The exit code and what was said. The whole family of processes ends with the time."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, text=True, start_new_session=True) as process:
        try:
            said, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
            raise NotRun("no answer in %.0f s" % seconds) from None
    return process.returncode, said


def built(theorem, directory):
    """The program that cbmc looks at."""
    program = os.path.join(directory, "program.gb")
    defines = ["-D%s=%s" % pair for pair in theorem.define.items()]
    includes = ["-I", directory, "-I", os.path.join(ROOT, "src"), "-I", os.path.join(ROOT, "test/proof")]
    harness = os.path.join(ROOT, "test/proof", theorem.harness + ".c")
    code, said = call(["goto-cc", *includes, *defines, harness, "--function",
                       "prove_" + theorem.name, "-o", program], SECONDS)
    if code == 0 and theorem.replace:
        calls = [word for pair in theorem.replace.items()
                 for word in ["--replace-calls", "%s:%s" % pair]]
        code, said = call(["goto-instrument", *calls, program, program + ".replaced"], SECONDS)
        program += ".replaced"
    if code != 0 or not os.path.exists(program):
        raise NotRun("it does not compile:\n" + said)
    return program


def edited(edits, directory):
    """Copies of the files with these changes, which are found before the sources."""
    for path, old, new in edits:
        copy = os.path.join(directory, path)
        source = copy if os.path.exists(copy) else os.path.join(ROOT, "src", path)
        with open(source, encoding="utf-8") as file:
            text = file.read()
        if text.count(old) != 1:
            raise NotRun("%s holds %r %d times" % (path, old, text.count(old)))
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        with open(copy, "w", encoding="utf-8") as file:
            file.write(text.replace(old, new))


@lru_cache
def can_be_tested():
    """Whether a float of 113 bits is here, and a long double has 64 of them."""
    probe = """#include <float.h>
#include <quadmath.h>
_Static_assert(LDBL_MANT_DIG == 64, "");
int main(int n, char **v) { return expq(n) < 0; }
"""
    with tempfile.TemporaryDirectory(prefix="dpsyn-proof.") as directory:
        source = os.path.join(directory, "probe.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(probe)
        return call([CC, source, "-o", source + ".out", "-lquadmath"], SECONDS)[0] == 0


def tested(theorem, directory):
    """Runs a program of its own. It ends with 1 and one line where a statement does not hold."""
    program = os.path.join(directory, "program")
    defines = ["-D%s=%s" % pair for pair in theorem.define.items()]
    if not can_be_tested():
        raise NotHere("no libquadmath, or other long doubles")
    code, said = call([CC, "-std=gnu11", "-O1", "-w", "-ffp-contract=off", "-fsanitize=undefined",
                       "-fno-sanitize-recover=all", "-I", directory, "-I", os.path.join(ROOT, "src"),
                       os.path.join(ROOT, "test/proof", theorem.harness + ".c"),
                       *defines, "-DTEST=test_" + theorem.name, "-o", program, "-lquadmath", "-lm"], SECONDS)
    if code != 0:
        raise NotRun("it does not compile:\n" + said)
    code, said = call([program], SECONDS)
    if code not in (0, 1):
        raise NotRun("the program ended with %d:\n%s" % (code, said[-2000:]))
    return PROVED if code == 0 else REFUTED, said.splitlines()


def looked_at(theorem, edits):
    """The exit code of cbmc and what it found, with these edits of the sources."""
    with tempfile.TemporaryDirectory(prefix="dpsyn-proof.") as directory:
        edited(edits, directory)
        if theorem.tested:
            return tested(theorem, directory)
        command = ["cbmc", built(theorem, directory), "--drop-unused-functions", *CHECKS]
        if not theorem.wraps:
            command += WRAPS
        if theorem.unwind:
            command += ["--unwind", str(theorem.unwind)]
        command.append("--no-unwinding-assertions" if theorem.open else "--unwinding-assertions")
        code, said = call(command + theorem.options, SECONDS)
    if code not in (PROVED, REFUTED):
        raise NotRun("cbmc ended with %d:\n%s" % (code, said[-2000:]))
    # A function without a body would be any function: an abstraction that nobody meant.
    return code, [line for line in said.splitlines() if line.endswith(": FAILURE")]


def title(theorem):
    return "%s.%s" % (theorem.harness, theorem.name)


def wanted(theorem):
    return (WANTED == ["all"] or (WANTED == ["quick"] and theorem.quick)
            or theorem.harness in WANTED or title(theorem) in WANTED)


def prove(theorem):
    code, failures = looked_at(theorem, theorem.edits)
    return code == PROVED, failures


def refute(theorem, fault):
    """A fault is noticed if a statement fails, and no part of the harness is missing."""
    code, failures = looked_at(theorem, [*theorem.edits, fault.edit])
    missing = [line for line in failures if "no body for" in line]
    return code == REFUTED and not missing, missing or ["the fault was not noticed"]


def jobs():
    for theorem in THEOREMS:
        if wanted(theorem):
            yield title(theorem) + ": " + theorem.says, prove, [theorem]
    for fault in FAULTS:
        if wanted(fault.theorem) and (fault.quick or WANTED != ["quick"]):
            yield ("noticed by %s: %s" % (title(fault.theorem), fault.says), refute,
                   [fault.theorem, fault])


def timed(function, arguments):
    began = time.monotonic()
    try:
        holds, notes = function(*arguments)
    except NotHere as reason:
        holds, notes = None, [str(reason)]
    except NotRun as reason:
        holds, notes = False, [str(reason)]
    return holds, notes, time.monotonic() - began


def main():
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        print("1..0 # SKIP %s: not here; Debian 13 has a package cbmc" % ", ".join(missing))
        return 0
    failed = 0
    work = list(jobs())
    print("1..%d" % len(work))
    with ThreadPoolExecutor(LANES) as pool:
        results = [pool.submit(timed, function, arguments) for _, function, arguments in work]
        for number, ((name, _, _), result) in enumerate(zip(work, results), 1):
            holds, notes, seconds = result.result()
            if holds is None:
                print("ok %d - %s # SKIP %s" % (number, name, notes[0]))
                continue
            failed += not holds
            print("%sok %d - %s (%.1f s)" % ("" if holds else "not ", number, name, seconds))
            if not holds:
                for line in "\n".join(notes).splitlines()[:40]:
                    print("# " + line)
            sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
