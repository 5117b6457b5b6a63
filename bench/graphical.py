"""mst and aim beside the figures of public Python code: mean total
variation distance over all 1-, 2- and 3-way margins and some of 5 columns (its standard error over the runs
in parentheses) and the time of the whole SQL call."""
import argparse
import statistics


from tables import count_seconds, distances, distances_of_many, draw, flat, load, margins, owner_and_analyst, read, show, some_margins

DELTA = "1e-9"
FIVES_MOST = 60
# table, method, epsilon, figures of public code (one run each; None: not measured)
CASES = (
    ("adult_binned", "mst", 0.1, ".0188/.0694/.1372"),
    ("adult_binned", "mst", 1.0, ".0028/.0370/.0859"),
    ("adult_binned", "mst", 10.0, ".0004/.0336/.0803"),
    ("adult_binned", "aim", 0.1, ".0234/.0665/.1198"),
    ("adult_binned", "aim", 1.0, ".0041/.0193/.0452"),
    ("adult_binned", "aim", 10.0, None),
    ("sim16", "mst", 1.0, ".0010/.0863/.1306"),
    ("sim16", "aim", 0.1, ".0053/.0244/.0417"),
    ("sim16", "aim", 1.0, ".0009/.0053/.0133"),
    ("sim16", "aim", 10.0, ".0002/.0011/.0064"),
)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reference", help="not used: the figures of public code are fixed")
    parser.add_argument("--data", required=True)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", help="one table")
    parser.add_argument("--incomplete", action="store_true",
                        help="categories without complete: a level more for the rest, which holds nothing")
    arguments = parser.parse_args()

    owner, analyst = owner_and_analyst()
    print("### mst and aim, add_remove, delta %s, %d runs\n" % (DELTA, arguments.runs))
    print("| table | method | epsilon | tvd1 | tvd2 | tvd3 | tvd5 | public code | seconds, median and most | x count(*) |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    loaded = {}
    for table, method, epsilon, public in CASES:
        if arguments.only not in (None, table):
            continue
        if table not in loaded:
            header, labels, codes, rows = read("%s/%s.csv" % (arguments.data, table))
            dims = [len(v) for v in labels]
            load(owner, table, header, labels, rows, complete=not arguments.incomplete)
            sets = margins(dims)
            truth = {s: flat(codes, s, dims) for k in sets for s in sets[k]}
            loaded[table] = labels, dims, sets, truth, count_seconds(owner, table), codes
        labels, dims, sets, truth, counted, codes = loaded[table]
        drawn = [draw(analyst, table, labels, method, "epsilon => %s, delta => " + DELTA, (epsilon,))
                 for _ in range(arguments.runs)]
        seconds = [s for _, s in drawn]
        print("| %s | %s | %g | %s | %s | %.2f, %.2f | %.0f |"
              % (table, method, epsilon, show([[*distances(truth, c, sets, dims),
                               distances_of_many(codes, c, some_margins(len(dims), 5, FIVES_MOST))] for c, _ in drawn]), public or "-",
                 statistics.median(seconds), max(seconds), statistics.median(seconds) / counted), flush=True)


main()
