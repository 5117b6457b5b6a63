"""The tour of a file (make demo DATA=file.csv): it guesses the types of columns, says so, and goes to its end."""
import os
import re
import subprocess
import tempfile

ROWS = 2000
# name, values, guessed type
COLUMNS = (
    ("id", str, "integer"),
    ("zip", lambda i: "%05d" % (i % 90), "text"),
    ("code", lambda i: "%04d" % (i % 90), "text"),
    ("large", lambda i: str(10 ** 12 + i), "bigint"),
    ("salary", lambda i: "%d,%02d" % (1000 + i * 7 % 5000, i % 100), "numeric"),
    ("rate", lambda i: ".%d" % (i % 10), "numeric"),
    ("score", lambda i: "%de-3" % (i % 500), "double precision"),
    ("born", lambda i: "19%02d-%d-01" % (i % 80, 1 + i % 12), "date"),
    ("hired", lambda i: "%d.%d.2020" % (1 + i % 28, 1 + i % 12), "date"),
    ("left", lambda i: "%d/%d/2021" % (1 + i % 12, 1 + i % 28), "date"),
    ("due", lambda i: "%d/%d/2021" % (1 + i % 12, 1 + i % 12), "text"),
    ("never", lambda i: "2021-02-%02d" % (1 + i % 30), "text"),
    ("opens", lambda i: "%d:30" % (6 + i % 4), "time"),
    ("seen", lambda i: "2022-01-%02d 10:%02d:00" % (1 + i % 28, i % 60), "timestamp"),
    ("logged", lambda i: "2022-01-%02dT10:00:00Z" % (1 + i % 28), "timestamptz"),
    ("Full time", lambda i: ("yes", "No", "")[i % 3], "boolean"),
    ("empty", lambda i: "", "text"),
)


def check(tap):
    with tempfile.TemporaryDirectory() as where:
        path = where + "/My staff.csv"
        with open(path, "w", encoding="utf-8") as file:
            file.write(";".join(name for name, _, _ in COLUMNS) + "\n")
            for i in range(1, ROWS + 1):
                file.write(";".join(value(i) for _, value, _ in COLUMNS) + "\n")
        done = subprocess.run([os.environ["DPSYN_ROOT"] + "/script/demo"], env=dict(os.environ, DATA=path), check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    tap.equal(done.returncode, 0, "the tour of a file goes to its end")
    told = done.stdout.partition("guessed type")[2].partition("===")[0]
    guessed = {name.strip(): kind.strip() for name, kind in re.findall(r"^ *([^|\n]+)\|([^|\n]+)\|", told, re.M)}
    wanted = {name: kind for name, _, kind in COLUMNS}
    tap.equal({name: guessed.get(name) for name in wanted}, wanted, "and says which types it guessed")
    errors = re.findall(r"^ERROR: +(.*)", done.stdout, re.M)
    tap.ok(len(errors) == 2 and "permission denied" in errors[0] and "is exhausted" in errors[1],
           "its errors are those that it shows", *errors)
