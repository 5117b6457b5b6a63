"""mst and aim on many rows: a real table many times over. What a release takes, beside counting the same tables in one
scan by the aggregate, and count(*). The rest is fitting, which depends on the rows by what stands out of the noise alone: so
beside it a release of the real table itself, with so much epsilon that as much does."""
import argparse
import math
import statistics
import time


from tables import count_seconds, load, owner_and_analyst, protect, read

TABLE = "adult_binned"
# method, columns of a table that it counts
METHODS = (("mst", 2), ("aim", 3))


def timed(cursor, statement, *values):
    begin = time.perf_counter()
    cursor.execute(statement, values)
    return time.perf_counter() - begin


def count_sets(cursor, name, columns, ways):
    """All sets of so many columns in one scan, with as many parallel workers as the server gives."""
    cursor.execute("SELECT dp_marginal_spec(%s, ways => %s)", (name, ways))
    spec, = cursor.fetchone()
    return timed(cursor, 'SELECT dp_marginals(%%s, %s) FROM "%s"' % (columns, name), spec)


def as_clear(epsilon, times):
    """The epsilon whose rho is times^2 that of epsilon, about: noise as small beside fewer rows."""
    delta_log = math.log(1e9)
    rho = (math.sqrt(delta_log + epsilon) - math.sqrt(delta_log)) ** 2 * times ** 2
    return rho + 2 * math.sqrt(rho * delta_log)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True)
    parser.add_argument("--rows", type=int, nargs="+", required=True)
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()

    owner, analyst = owner_and_analyst()
    cursor, reader = owner.cursor(), analyst.cursor()
    header, labels, _, rows = read("%s/%s.csv" % (arguments.data, TABLE))
    load(owner, TABLE, header, labels, rows)
    columns = ", ".join('"%s"' % c for c in header)
    print("### mst and aim on many rows of %s, epsilon %g, delta 1e-9, medians of %d\n"
          % (TABLE, arguments.epsilon, arguments.runs))
    print("| rows | count(*) | method | counting its sets | the release | the rest | of %d rows, as clear |" % len(rows))
    print("|---|---|---|---|---|---|---|")
    for size in arguments.rows:
        name = "%s_%d" % (TABLE, size)
        cursor.execute('CREATE TABLE "%s" AS SELECT t.* FROM "%s" t, generate_series(1, %d) ORDER BY random() LIMIT %d'
                       % (name, TABLE, size // len(rows) + 1, size))
        protect(owner, name, header, labels)
        counted = count_seconds(owner, name)
        for method, ways in METHODS:
            release = "SELECT dp_release(%s, %s, %s, 1e-9)"
            clear = round(as_clear(arguments.epsilon, size / len(rows)), 6)
            seconds = [(count_sets(cursor, name, columns, ways),
                        timed(reader, release, name, method, arguments.epsilon),
                        timed(reader, release, TABLE, method, clear))
                       for _ in range(arguments.runs)]
            sets, large, small = (statistics.median(s) for s in zip(*seconds))
            print("| %d | %.2f s | %s | %.2f s | %.2f s | %.2f s | %.2f s |"
                  % (size, counted, method, sets, large, large - sets, small), flush=True)


main()
