"""How true the numbers of an ordinary schema stay: income and age of patients, cost of visits, of test/common/hospital.sql.
For each method: the mean over runs of the error of mean, quartiles and 99th percentile, in percent of the truth, the standard
deviation of the last of these over runs, and rows outside of what the table holds."""
import os
import statistics

COLUMNS = {"patients": {"income": "income", "age": "date '2025-01-01' - birth_date"}, "visits": {"cost": "cost"}}
FIGURES = "avg({0}), percentile_cont(ARRAY[0.25, 0.5, 0.75, 0.99]) WITHIN GROUP (ORDER BY {0})"
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "test", "common", "hospital.sql")


def load(owner):
    with open(SCRIPT, encoding="utf-8") as file:
        owner.cursor().execute(file.read())
    for table in COLUMNS:
        owner.cursor().execute("SELECT dp_protect(%s, 1000000, 0.9)", ("hospital." + table,))
        owner.cursor().execute("SELECT dp_grant(%s, 'analyst', 1000000, 0.9)", ("hospital." + table,))
    owner.cursor().execute("GRANT USAGE ON SCHEMA hospital TO analyst")


def figures(cursor, expression, rows):
    cursor.execute("SELECT " + FIGURES.format("(%s)::float8" % expression) + " FROM " + rows)
    mean, quantiles = cursor.fetchone()
    return [mean] + quantiles


def outside(cursor, expression, table, rows):
    cursor.execute("SELECT count(*) FROM {1}, (SELECT min({0}) AS low, max({0}) AS high FROM hospital.{2}) t WHERE {0} NOT BETWEEN low AND high"
                   .format("(%s)" % expression, rows, table))
    return cursor.fetchone()[0]


def compare(owner, methods, epsilon, delta, runs):
    load(owner)
    cursor = owner.cursor()
    print("### hospital, epsilon %g, delta %s, %d runs: errors in percent\n" % (epsilon, delta, runs))
    print("| column | method | mean | quartiles | 99th percentile | rows outside |\n|---|---|---|---|---|---|")
    for table, columns in COLUMNS.items():
        for method in methods:
            found = {name: [] for name in columns}
            for _ in range(runs):
                cursor.execute("CREATE TEMP TABLE drawn AS SELECT * FROM dp_synthesize(NULL::hospital.%s, method => %%s, epsilon => %%s, delta => %s)" % (table, delta),
                               (method, epsilon))
                for name, expression in columns.items():
                    truth = figures(cursor, expression, "hospital." + table)
                    found[name].append([100 * (f / t - 1) for f, t in zip(figures(cursor, expression, "drawn"), truth)]
                                       + [outside(cursor, expression, table, "drawn")])
                cursor.execute("DROP TABLE drawn")
            for name, rows in found.items():
                means = [statistics.mean(v) for v in zip(*rows)]
                spread = statistics.stdev(r[4] for r in rows) if runs > 1 else 0
                print("| %s | %s | %+.1f | %+.1f, %+.1f, %+.1f | %+.1f (%.0f) | %.1f |" % (name, method, *means[:5], spread, means[5]), flush=True)
