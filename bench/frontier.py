"""Methods and efforts on tables of several shapes: CPU time of a release against mean total variation
distance over the margins of 1, 2, 3 and 5 columns, beside the floor, which is the distance of the
table to a resample of itself. Margins of many columns are sampled, the same ones for all. Beside
the time stands what dp_explain expects of it and of the worker's memory. What is expected to take
longer than the limit is left out. Prints a table in Markdown and draws tvd3 against time."""
import argparse
import io
import itertools
import json
import os
import statistics
import time

import numpy as np
import psycopg2

import shapes
from tables import distances_of_many, draw, flat, install, protect, read, some_margins

DELTA = "1e-9"
MARGINS_MOST = 400  # of each order
FIVES_MOST = 60     # of five columns
# method, options
SETTINGS = (("mst", {}), ("privbayes", {}), ("sbhg", {}), ("aim", {"effort": "fast"}), ("aim", {}),
            ("aim", {"effort": "best"}), ("aim", {"workload": 2}))


def label_of(method, options):
    """As it is written in the table and in the picture."""
    words = ["pairs" if option == "workload" else value for option, value in options.items()]
    return " ".join([method] + words)


def expected(connection, name, rows, method, epsilon, options):
    """Seconds and MB that dp_explain expects; None where the method is refused."""
    cursor = connection.cursor()
    try:
        cursor.execute("SELECT expected_seconds, expected_bytes / 1048576.0 FROM dp_explain(%s::regclass, %s, %s, %s, %s)"
                       " WHERE stage = 'total'",
                       (name, method, epsilon, float(DELTA), json.dumps({**options, "table_rows": rows})))
        return cursor.fetchone()
    except psycopg2.Error:
        return None


def children_seconds(pid):
    """CPU time of ended children of a process: of the postmaster, workers that have ended."""
    with open("/proc/%d/stat" % pid, encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


def own_seconds(pid):
    with open("/proc/%d/stat" % pid, encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), int(fields[1])


def table_of(name, data):
    """Header, labels by column, codes."""
    if name in shapes.SHAPES:
        codes, dims = shapes.SHAPES[name]()
        header = ["c%d" % k for k in range(len(dims))]
        labels = [["v%03d" % v for v in range(n)] for n in dims]
        return header, labels, codes
    header, labels, codes, _ = read("%s/%s.csv" % (data, name))
    return header, labels, codes


def load_codes(owner, name, header, labels, codes):
    cursor = owner.cursor()
    cursor.execute('CREATE TABLE "%s" (%s)' % (name, ", ".join('"%s" text' % c for c in header)))
    text = np.stack([np.array(values, dtype=object)[codes[:, k]] for k, values in enumerate(labels)], 1)
    lines = io.StringIO("".join("\t".join(row) + "\n" for row in text))
    cursor.copy_expert('COPY "%s" FROM STDIN' % name, lines)
    protect(owner, name, header, labels)


def choose_margins(p):
    rng = np.random.default_rng(7)
    sets = {}
    for order in (1, 2, 3):
        every = list(itertools.combinations(range(p), order))
        take = rng.permutation(len(every))[:MARGINS_MOST]
        sets[order] = [every[i] for i in sorted(take)]
    return sets


def distances(truth, codes, sets, dims):
    return [statistics.mean(0.5 * np.abs(truth[s] - flat(codes, s, dims)).sum() for s in sets[k])
            for k in (1, 2, 3)]


WIDTH, HEIGHT, GAP = 300, 220, 60  # of a panel, and around it
SHADES = ("#c33", "#c83", "#888", "#7bf", "#36c", "#039", "#2a2")


def ticks(low, high):
    """1, 2 and 5 times the powers of ten in a range."""
    steps = [m * 10.0 ** e for e in range(-5, 4) for m in (1, 2, 5)]
    return [v for v in steps if low <= v <= high]


class Panel:
    """One table: tvd3 over CPU seconds, both logarithmic."""

    def __init__(self, left, top, own, floor):
        self.left, self.top, self.own, self.floor = left, top, own, floor
        seconds, distances_ = [max(q[3], .01) for q in own], [q[4] for q in own] + [floor]
        self.x = np.log(min(seconds)) - .2, np.log(max(seconds)) + .2
        self.y = np.log(min(distances_)) - .15, np.log(max(distances_)) + .15

    def place(self, seconds, distance):
        x, y = np.log(max(seconds, .01)), np.log(distance)
        return (self.left + WIDTH * (x - self.x[0]) / (self.x[1] - self.x[0]),
                self.top + HEIGHT * (self.y[1] - y) / (self.y[1] - self.y[0]))

    def frame(self, name):
        floor = self.place(1, self.floor)[1]
        out = ['<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="#999"/>'
               % (self.left, self.top, WIDTH, HEIGHT),
               '<text x="%d" y="%d" font-weight="bold">%s</text>' % (self.left, self.top - 6, name),
               '<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#555" stroke-dasharray="4"/>'
               % (self.left, self.left + WIDTH, floor, floor)]
        for v in ticks(*np.exp(self.x)):
            x = self.place(v, self.floor)[0]
            out.append('<text x="%.0f" y="%d" text-anchor="middle">%g</text>' % (x, self.top + HEIGHT + 13, v))
        for v in ticks(*np.exp(self.y)):
            y = self.place(1, v)[1]
            out.append('<text x="%d" y="%.0f" text-anchor="end">%g</text>' % (self.left - 4, y + 3, v))
            out.append('<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#eee"/>'
                       % (self.left, self.left + WIDTH, y, y))
        return out

    def marks(self, colour):
        return [mark(*self.place(seconds, distance), colour[label], epsilon == 1)
                for _, label, epsilon, seconds, distance in self.own]


def mark(x, y, colour, hollow):
    return '<circle cx="%.1f" cy="%.1f" r="4.5" fill="%s" stroke="%s" stroke-width="1.8"/>' % (
        x, y, "white" if hollow else colour, colour)


def legend(colour, top):
    """What the marks, the line and the axes are."""
    out = []
    for i, (label, shade) in enumerate(colour.items()):
        out += [mark(GAP + 95 * i, top, shade, False), '<text x="%d" y="%d">%s</text>' % (GAP + 95 * i + 9, top + 4, label)]
    top += 20
    return out + [mark(GAP, top, "#333", True), '<text x="%d" y="%d">epsilon 1</text>' % (GAP + 9, top + 4),
                  mark(GAP + 95, top, "#333", False), '<text x="%d" y="%d">epsilon 10</text>' % (GAP + 104, top + 4),
                  '<text x="%d" y="%d">dashed: the floor, a resample of the table itself; lower and further left is '
                  'better</text>' % (GAP + 190, top + 4)]


def draw_svg(points, floors, path):
    """A panel for each table, and a legend."""
    across, down = min(3, len(floors)), (len(floors) + 2) // 3
    width, height = GAP + (WIDTH + GAP) * max(across, 2), GAP + (HEIGHT + GAP) * down
    colour = {label_of(*setting): shade for setting, shade in zip(SETTINGS, SHADES)}
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-size="11" font-family="sans-serif">'
           % (width, height + 50), '<rect width="100%" height="100%" fill="white"/>',
           '<text x="%d" y="20" font-size="13">Mean total variation distance of three columns (upright) over CPU seconds '
           'of a release and its rows</text>' % GAP]
    for i, name in enumerate(floors):
        own = [q for q in points if q[0] == name]
        if own:
            panel = Panel(GAP + (i % 3) * (WIDTH + GAP), GAP + (i // 3) * (HEIGHT + GAP), own, floors[name])
            out += panel.frame(name) + panel.marks(colour)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out + legend(colour, height) + ["</svg>\n"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--tables", nargs="+", required=True)
    parser.add_argument("--svg", required=True)
    parser.add_argument("--limit", type=float, default=60, help="seconds of one release")
    arguments = parser.parse_args()

    owner = psycopg2.connect("")
    owner.autocommit = True
    install(owner)
    print("### CPU time against distance, add_remove, delta %s, %d runs\n" % (DELTA, arguments.runs))
    print("| table | method | epsilon | tvd1 | tvd2 | tvd3 | tvd5 | server CPU s | seconds | expected s | expected MB |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    points, floors = [], {}
    for name in arguments.tables:
        header, labels, codes = table_of(name, arguments.data)
        dims = [len(v) for v in labels]
        load_codes(owner, name, header, labels, codes)
        sets = choose_margins(len(dims))
        truth = {s: flat(codes, s, dims) for k in sets for s in sets[k]}
        again = codes[np.random.default_rng(1).integers(0, len(codes), len(codes))]
        fives = some_margins(len(dims), 5, FIVES_MOST)
        floor = [*distances(truth, again, sets, dims), distances_of_many(codes, again, fives)]
        floors[name] = floor[2]
        print("| %s | floor | | %.4f | %.4f | %.4f | %.4f | | | | |" % ((name,) + tuple(floor)), flush=True)
        for (method, options), epsilon in itertools.product(SETTINGS, (1, 10)):
            label = label_of(method, options)
            forecast = expected(owner, name, len(codes), method, epsilon, options)
            if forecast is None or forecast[0] > arguments.limit:
                print("| %s | %s | %g | | | | | | | %s | |"
                      % (name, label, epsilon, "refused" if forecast is None else "%.1f" % forecast[0]), flush=True)
                continue
            more = "".join(", %s => %s" % (option, psycopg2.extensions.adapt(value)) for option, value in options.items())
            found, cpu, wall = [], [], []
            for _ in range(arguments.runs):
                analyst = psycopg2.connect("user=analyst")
                analyst.autocommit = True
                before, parent = own_seconds(analyst.get_backend_pid())
                ended = children_seconds(parent)
                drawn, seconds = draw(analyst, name, labels, method,
                                      "epsilon => %s, delta => " + DELTA + more, (epsilon,))
                time.sleep(0.1)  # until the worker is reaped
                cpu.append(own_seconds(analyst.get_backend_pid())[0] - before +
                           children_seconds(parent) - ended)
                wall.append(seconds)
                found.append([*distances(truth, drawn, sets, dims), distances_of_many(codes, drawn, fives)])
                analyst.close()
            mean = [statistics.mean(v) for v in zip(*found)]
            print("| %s | %s | %g | %.4f | %.4f | %.4f | %.4f | %.2f | %.2f | %.2f | %.0f |"
                  % ((name, label, epsilon) + tuple(mean) + (statistics.mean(cpu), statistics.mean(wall)) + forecast),
                  flush=True)
            points.append((name, label, epsilon, statistics.mean(cpu), mean[2]))
    draw_svg(points, floors, arguments.svg)
    print("\n(%s)" % arguments.svg)


if __name__ == "__main__":
    main()
