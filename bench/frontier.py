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


def draw_svg(points, floors, path):
    """One panel a table: tvd3 over CPU seconds, both logarithmic; a line for the floor."""
    width, height, gap = 300, 220, 50
    names = list(floors)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-size="10" '
           'font-family="sans-serif">' % (gap + (width + gap) * min(3, len(names)),
                                         gap + (height + gap) * ((len(names) + 2) // 3)),
           '<rect width="100%" height="100%" fill="white"/>']
    shades = ("#c33", "#c83", "#888", "#7bf", "#36c", "#039", "#2a2")
    colour = {label_of(*setting): shade for setting, shade in zip(SETTINGS, shades)}
    for i, name in enumerate(names):
        left, top = gap + (i % 3) * (width + gap), gap + (i // 3) * (height + gap)
        own = [q for q in points if q[0] == name]
        ys = [q[4] for q in own] + [floors[name]]
        low, high = np.log(min(ys)) - .1, np.log(max(ys)) + .1
        place_x = lambda s: left + width * (np.log10(max(s, .02)) + 1.7) / 4.2
        place_y = lambda v: top + height * (high - np.log(v)) / (high - low)
        out.append('<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="#999"/>'
                   '<text x="%d" y="%d">%s: tvd3 over CPU seconds</text>'
                   % (left, top, width, height, left, top - 6, name))
        for s in (.1, 1, 10, 100):
            out.append('<text x="%.0f" y="%d">%g</text>' % (place_x(s), top + height + 12, s))
        for v in sorted({min(ys), max(ys)}):
            out.append('<text x="%d" y="%.0f">%.3f</text>' % (left - 32, place_y(v) + 3, v))
        out.append('<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#999" stroke-dasharray="4"/>'
                   % (left, left + width, place_y(floors[name]), place_y(floors[name])))
        for _, label, epsilon, seconds, tvd3 in own:
            out.append('<circle cx="%.1f" cy="%.1f" r="4" fill="%s"/><text x="%.1f" y="%.1f">%s, %g</text>'
                       % (place_x(seconds), place_y(tvd3), colour[label], place_x(seconds) + 6,
                          place_y(tvd3) + 3, label, epsilon))
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out + ["</svg>\n"]))


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
