"""The examples of README and the pages run, in their order, and print what stands there.

A page runs in a database of its own, after setup/PAGE.sql if there is one. A block of ```sql runs in
psql, one of ```python in a Python that goes on with the next, one of ```sh in a shell. What a block
prints ends with the next block, if that holds output. Where noise is in it (```text noisy), numbers
may differ, and in the rows of a table words as well. A block with prompts runs last, as the role
that it is about. SET ROLE holds for the blocks after it. Last comes the tour of a file (own_file.py).

    EXAMPLES="README docs/query"    only these pages
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from dptest import Tap

import own_file

ROOT = os.environ["DPSYN_ROOT"]
HERE = os.path.dirname(os.path.abspath(__file__))
PSQL = [os.environ["PG_BINDIR"] + "/psql", "-X", "-P", "pager=off"]
PROMPT = "demo=> "
# Pages that suites of their own run.
ELSEWHERE = {"docs/distributed", "docs/trees"}
DATABASE = "examples"
tap = Tap()


def printed(text):
    """Lines without blanks at their ends."""
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def run(command, said=None, where=ROOT):
    done = subprocess.run(command, input=said, cwd=where, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, check=False, timeout=300)
    return printed(done.stdout)


def psql(statements):
    return run(PSQL, statements)


class Python:
    """A Python that the blocks of a page share. It needs what their imports name."""
    LOOP = """
import contextlib, io, json, sys, traceback, warnings
warnings.simplefilter("ignore")
space = {}
for line in sys.stdin:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        try:
            exec(compile(json.loads(line), "example", "exec"), space)
        except Exception:
            said.write("ERROR: " + traceback.format_exc())
    print(json.dumps(said.getvalue()), flush=True)
"""

    def __init__(self, lines):
        modules = re.findall(r"^(?:import|from) (\w+)", "\n".join(lines), re.M)
        self.process = None
        for python in ("/usr/bin/python3", "python3"):
            if subprocess.run([python, "-c", "import " + ", ".join(modules)], check=False,
                              stderr=subprocess.DEVNULL).returncode == 0:
                self.process = subprocess.Popen([python, "-c", self.LOOP], stdin=subprocess.PIPE,
                                                stdout=subprocess.PIPE, text=True)
                break

    def run(self, lines):
        self.process.stdin.write(json.dumps("\n".join(lines)) + "\n")
        self.process.stdin.flush()
        return printed(json.loads(self.process.stdout.readline()))

    def end(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait(30)


def blocks(text):
    """Kind and lines of each block between fences, which may be indented."""
    return [(kind.strip(), [line.rstrip()[len(indent):] for line in body.strip("\n").splitlines()])
            for indent, kind, body in re.findall(r"^( *)```([^\n]*)\n(.*?)^\1```$", text, re.M | re.S)]


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
    tap.ok(holds, name, "got:", *got[-30:], "wanted:", *wanted)


def failed(got):
    return any(line.startswith(("ERROR", "FATAL", "psql:", "bash:")) for line in got)


class Page:
    def __init__(self, name, found):
        self.name, self.found = name, found
        self.role, self.python = "", None

    def sql(self, lines):
        got = psql(self.role + "\n".join(lines) + "\n")
        roles = re.findall(r"^((?:RE)?SET ROLE.*;)$", "\n".join(lines), re.M)
        if roles:
            self.role = "\\o /dev/null\n%s\n\\o\n" % roles[-1]
        return got

    def shell(self, lines):
        where = tempfile.mkdtemp()
        got = run(["bash", "-c", "\n".join(lines)], where=where)
        shutil.rmtree(where)
        return got

    def block(self, kind, lines):
        """What a block prints; None if nothing here can run it."""
        if kind == "sql":
            return self.sql(lines)
        if kind == "sh":
            return self.shell(lines)
        self.python = self.python or Python(lines)
        return self.python.run(lines) if self.python.process else None

    def run(self):
        got, title = [], ""
        for n, (kind, lines) in enumerate(self.found):
            if kind in ("sql", "sh", "python"):
                title = "%s: %s" % (self.name, next(line for line in lines if line)[:60])
                got = self.block(kind, lines)
                after = self.found[n + 1] if n + 1 < len(self.found) else ("", [])
                if got is None:
                    tap.skip(title, "a package of Python is not installed")
                elif not failed(after[1]) or after[0] not in ("", "text noisy"):
                    tap.ok(not failed(got), "runs: " + title, *got[-30:])
            elif got and kind in ("", "text noisy") and not lines[0].startswith(PROMPT):
                ends_with(got, lines, kind != "", "prints what is shown: " + title)
                got = []
            elif kind == "":
                got = []
        sessions = [lines for kind, lines in self.found if kind == "" and lines[0].startswith(PROMPT)]
        for lines in sessions:
            run_session(lines, "analyst")
        if self.python:
            self.python.end()


def run_session(lines, role):
    """A block of prompts and of what follows each."""
    while lines:
        command = lines[0][len(PROMPT):]
        end = next((n for n, line in enumerate(lines) if n and line.startswith(PROMPT)), len(lines))
        got = psql("\\o /dev/null\nSET ROLE %s;\n\\o\n%s\n" % (role, command))
        ends_with(got, lines[1:end], True, "prints what is shown: " + command[:60])
        lines = lines[end:]


def clean():
    """A new database, and no roles of the last page."""
    psql("\\c postgres\nDROP DATABASE IF EXISTS %s WITH (FORCE);\nCREATE DATABASE %s;\n"
         "SELECT format('DROP ROLE %%I', rolname) FROM pg_roles WHERE oid >= 16384 \\gexec\n"
         % (DATABASE, DATABASE))


def main():
    os.environ["PATH"] = os.environ["PG_BINDIR"] + ":" + os.environ["PATH"]
    names = sorted(os.path.relpath(path, ROOT)[:-3] for path in
                   [ROOT + "/README.md"] + glob.glob(ROOT + "/docs/**/*.md", recursive=True))
    chosen = os.environ.get("EXAMPLES", "").split()
    ran = 0
    for name in names:
        with open("%s/%s.md" % (ROOT, name), encoding="utf-8") as file:
            found = blocks(file.read())
        if name in ELSEWHERE or chosen and name not in chosen or \
                not any(kind in ("sql", "python") for kind, _ in found):
            continue
        os.environ["PGDATABASE"] = "postgres"
        clean()
        os.environ["PGDATABASE"] = DATABASE
        setup = "%s/setup/%s.sql" % (HERE, name.replace("/", "_"))
        if os.path.exists(setup):
            got = run(PSQL + ["-q", "-o", "/dev/null", "-v", "ON_ERROR_STOP=1", "-f", setup], where=HERE + "/setup")
            tap.ok(not any("ERROR" in line for line in got), name + " is set up", *got)
        Page(name, found).run()
        ran += 1
    if not chosen:
        own_file.check(tap)
    tap.ok(bool(chosen) or ran > 25, "the pages have their examples", ran)
    tap.done()


if __name__ == "__main__":
    sys.exit(main())
