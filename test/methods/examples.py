"""The examples of the README run, in their order, and print what stands there.

A block of SQL runs in psql; what it prints ends with the next block, if that holds output. Where
noise is in it (```text noisy), numbers may differ, and in the rows of a table words as well. A
block with prompts runs last, as the role that it is about. SET ROLE holds for the blocks after it.
"""
import os
import re
import subprocess
import sys

from dptest import Tap

ROOT = os.environ["DPSYN_ROOT"]
PSQL = [os.environ["PG_BINDIR"] + "/psql", "-X", "-d", "demo", "-P", "pager=off"]
PROMPT = "demo=> "
tap = Tap()


def psql(statements):
    """What psql prints, each line without blanks at its end."""
    done = subprocess.run(PSQL, input=statements, cwd=ROOT, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, check=False, timeout=300)
    return [line.rstrip() for line in done.stdout.strip("\n").splitlines()]


def blocks(text):
    """Kind and lines of each block between fences."""
    return [(kind.strip(), [line.rstrip() for line in body.strip("\n").splitlines()])
            for kind, body in re.findall(r"^```([^\n]*)\n(.*?)^```$", text, re.M | re.S)]


def shape(lines):
    """Output without numbers, and without what stands in the rows of a table."""
    kept, in_rows = [], False
    for line in lines:
        in_rows = (in_rows or re.match(r"-+\+", line) is not None) and not line.startswith("(")
        line = re.sub(r"-{2,}", "--", re.sub(r"[0-9.]+", "0", line))
        kept.append("| " * line.count("|") if in_rows and "|" in line
                    else re.sub(r" +", " ", line).strip())
    return kept


def ends_with(got, wanted, noisy, name):
    end = got[len(got) - len(wanted):]
    holds = shape(end) == shape(wanted) if noisy else end == wanted
    tap.ok(holds, name, "got:", *got, "wanted:", *wanted)


def run_blocks(found):
    role, got, name = "", [], ""
    for kind, lines in found:
        if kind == "sql":
            got = psql(role + "\n".join(lines) + "\n")
            name = next(line for line in lines if line)[:60]
            roles = re.findall(r"^((?:RE)?SET ROLE.*;)$", "\n".join(lines), re.M)
            role = "\\o /dev/null\n%s\n\\o\n" % roles[-1] if roles else role
            errors = [line for line in got if line.startswith(("ERROR", "FATAL", "psql:"))]
            tap.ok(not errors, "runs: " + name, *got)
        elif got and kind in ("", "text noisy") and not lines[0].startswith(PROMPT):
            ends_with(got, lines, kind != "", "prints what is shown: " + name)
            got = []
        elif kind == "":
            got = []


def run_session(lines, role):
    """A block of prompts and of what follows each."""
    while lines:
        command = lines[0][len(PROMPT):]
        end = next((n for n, line in enumerate(lines) if n and line.startswith(PROMPT)), len(lines))
        got = psql("\\o /dev/null\nSET ROLE %s;\n\\o\n%s\n" % (role, command))
        ends_with(got, lines[1:end], True, "prints what is shown: " + command[:60])
        lines = lines[end:]


def main():
    with open(ROOT + "/README.md", encoding="utf-8") as file:
        found = blocks(file.read())
    subprocess.run([PSQL[0], "-Xqc", "CREATE DATABASE demo"], check=True)
    run_blocks(found)
    sessions = [lines for kind, lines in found if kind == "" and lines[0].startswith(PROMPT)]
    for lines in sessions:
        run_session(lines, "analyst")
    tap.ok(len(sessions) == 1 and sum(kind == "sql" for kind, _ in found) > 5,
           "the README has its examples")
    tap.done()


if __name__ == "__main__":
    sys.exit(main())
