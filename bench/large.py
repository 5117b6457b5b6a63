"""mst and aim on many rows: a real table many times over. What a release takes, beside counting the same tables in one
scan by the aggregate, and count(*). The rest is fitting, which depends on the rows by what stands out of the noise alone: so
beside it a release of the real table itself, with so much epsilon that as much does. Each time is by the clock, and in
CPU seconds of all processes that worked: those of the session, and of the workers that the server started and saw end."""
import argparse
import math
import os
import statistics
import time


from tables import load, owner_and_analyst, protect, read

TABLE = "adult_binned"
# method, columns of a table that it counts
METHODS = (("mst", 2), ("aim", 3))


def processor_seconds(pid):
    """Of a session, and of all processes of its server that ended."""
    def fields(of):
        with open("/proc/%d/stat" % of, encoding="ascii") as file:
            return [int(word) for word in file.read().rsplit(")", 1)[1].split()[1:15]]
    own = fields(pid)
    server = fields(own[0])
    return (own[10] + own[11] + server[12] + server[13]) / os.sysconf("SC_CLK_TCK")


def timed(cursor, statement, *values):
    """Seconds by the clock, and of processors."""
    pid = cursor.connection.info.backend_pid
    begin, used = time.perf_counter(), processor_seconds(pid)
    cursor.execute(statement, values)
    seconds = time.perf_counter() - begin
    time.sleep(0.2)  # the server sees its workers end
    return seconds, processor_seconds(pid) - used


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
    print("### mst and aim on many rows of %s, epsilon %g, delta 1e-9, medians of %d: seconds, CPU seconds\n"
          % (TABLE, arguments.epsilon, arguments.runs))
    print("| rows | count(*) | method | counting its sets | the release | of %d rows, as clear |" % len(rows))
    print("|---|---|---|---|---|---|")
    for size in arguments.rows:
        name = "%s_%d" % (TABLE, size)
        cursor.execute('CREATE TABLE "%s" AS SELECT t.* FROM "%s" t, generate_series(1, %d) ORDER BY random() LIMIT %d'
                       % (name, TABLE, size // len(rows) + 1, size))
        protect(owner, name, header, labels)
        counted = min(timed(cursor, 'SELECT count(*) FROM "%s"' % name) for _ in range(3))
        for method, ways in METHODS:
            # the memory of a model grows with epsilon, if nothing is said
            release = "SELECT dp_release(%s, %s, %s, 1e-9, '{\"max_model_memory\": 160}')"
            clear = round(as_clear(arguments.epsilon, size / len(rows)), 6)
            runs = [(count_sets(cursor, name, columns, ways),
                     timed(reader, release, name, method, arguments.epsilon),
                     timed(reader, release, TABLE, method, clear))
                    for _ in range(arguments.runs)]
            medians = [tuple(statistics.median(part) for part in zip(*what)) for what in zip(*runs)]
            print("| %d | %.2f s, %.2f | %s | %.2f s, %.2f | %.2f s, %.2f | %.2f s, %.2f |"
                  % (size, *counted, method, *medians[0], *medians[1], *medians[2]), flush=True)


main()
