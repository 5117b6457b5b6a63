"""What dp_explain expects of a release beside what its worker takes: CPU seconds, and the peak of
its private memory, of each method and effort on tables of several shapes. The last columns are the
larger of the two over the smaller, with the sign of who is larger: +2.0 is expected twice too much."""
import argparse
import itertools
import json
import os
import threading
import time

import numpy as np
import psycopg2

import shapes
from frontier import DELTA, expected, label_of, load_codes, own_seconds, table_of
from tables import install

SETTINGS = (("mst", {}), ("privbayes", {}), ("sbhg", {}), ("steps", {}), ("cipher", {}), ("mwem", {}),
            ("flat", {}), ("aim", {"effort": "fast"}), ("aim", {}), ("aim", {"workload": 2}),
            ("aim", {"effort": "best"}))


class Peak(threading.Thread):
    """CPU seconds, and MB of private memory, of the child that takes the most of those that the postmaster
    gets while a release runs. So autovacuum and other sessions do not count."""

    def __init__(self, parent):
        super().__init__(daemon=True)
        self.known = set(children_of(parent))
        self.parent, self.kept, self.seconds, self.over = parent, 0, 0, False

    def run(self):
        while not self.over:
            for pid in set(children_of(self.parent)) - self.known:
                self.kept, self.seconds = max(self.kept, private_kb(pid)), max(self.seconds, seconds_of(pid))
            time.sleep(0.002)

    def stop(self):
        self.over = True
        self.join()
        return self.seconds, self.kept / 1024


def children_of(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def private_kb(pid):
    try:
        with open("/proc/%d/status" % pid, encoding="ascii") as file:
            return next((int(line.split()[1]) for line in file if line.startswith("RssAnon")), 0)
    except OSError:
        return 0


def seconds_of(pid):
    try:
        return own_seconds(pid)[0]
    except OSError:
        return 0


def ratio(told, measured):
    return "%+.1f" % (told / measured if told >= measured else -measured / told)


def release(name, rows, method, epsilon, options):
    """CPU seconds and MB of the worker of one release."""
    connection = psycopg2.connect("user=analyst")
    connection.autocommit = True
    parent = own_seconds(connection.get_backend_pid())[1]
    peak = Peak(parent)
    peak.start()
    try:
        connection.cursor().execute("SELECT dp_release(%s, %s, %s, %s, %s)",
                                    (name, method, epsilon, DELTA, json.dumps(options)))
        return peak.stop()
    finally:
        peak.over = True
        connection.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True)
    parser.add_argument("--tables", nargs="+", required=True)
    parser.add_argument("--methods", nargs="+")
    parser.add_argument("--limit", type=float, default=60, help="seconds of one release")
    arguments = parser.parse_args()
    owner = psycopg2.connect("")
    owner.autocommit = True
    install(owner)
    print("| table | method | epsilon | CPU s | expected | x | MB | expected | x |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in arguments.tables:
        header, labels, codes = table_of(name, arguments.data)
        load_codes(owner, name, header, labels, codes)
        for (method, options), epsilon in itertools.product(SETTINGS, (1, 10)):
            if arguments.methods and method not in arguments.methods:
                continue
            forecast = expected(owner, name, len(codes), method, epsilon, options)
            words = (name, label_of(method, options), epsilon)
            if forecast is None or forecast[0] > arguments.limit:
                print("| %s | %s | %g | | %s | | | | |"
                      % (*words, "refused" if forecast is None else "%.1f" % forecast[0]), flush=True)
                continue
            try:
                seconds, mb = release(name, len(codes), method, epsilon, options)
            except psycopg2.Error as error:
                print("| %s | %s | %g | %s | | | | | |" % (*words, error.diag.message_primary), flush=True)
                continue
            forecast = [float(v) for v in forecast]
            print("| %s | %s | %g | %.2f | %.2f | %s | %.0f | %.0f | %s |"
                  % (*words, seconds, forecast[0], ratio(forecast[0], max(seconds, .01)), mb, forecast[1],
                     ratio(max(forecast[1], .1), max(mb, .1))), flush=True)
        owner.cursor().execute('SELECT dp_unprotect(%s); DROP TABLE "%s"' % (psycopg2.extensions.adapt(name), name))


if __name__ == "__main__":
    main()
