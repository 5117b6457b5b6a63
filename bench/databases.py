"""Whole databases that nobody here made, each from CREATE EXTENSION by the script that dp_suggest_protection prints.

For each: seconds, tables, foreign keys and CHECKs in and out, orphans, how many columns are made up, and of the others the total
variation distance of single columns, of pairs within a table and of pairs across a foreign key, the last beside the product of the
true distributions ("independent"). Numbers and times are cut at the original's twentieths,
everything else at its fifty most frequent values. "out of order": rows of which two times of an order and its line, or of one row,
come in an order that nearly no row of the original has. "restored": pg_dump of the copy loads elsewhere. --folder: the scripts of chinook, northwind and pagila. --tpch: a folder of
CSV files as tpchgen-cli writes them."""
import argparse
import itertools
import os
import subprocess
import time

import numpy as np
import psycopg2

SCRIPTS = {"chinook": ["chinook.sql"], "northwind": ["northwind.sql"], "pagila": ["pagila-schema.sql", "pagila-data.sql"]}
ROWS = 50000    # of a table that are looked at
NUMBERS = ("smallint", "integer", "bigint", "numeric", "real", "double precision", "money", "date", "timestamp without time zone",
           "timestamp with time zone", "interval")


def create(database):
    cursor = connect("postgres").cursor()
    cursor.execute("DROP DATABASE IF EXISTS %s" % database)
    cursor.execute("CREATE DATABASE %s" % database)


def connect(database):
    connection = psycopg2.connect(dbname=database)
    connection.autocommit = True
    return connection


def load(name, folder):
    create("bench_%s" % name)
    for script in SCRIPTS[name]:
        with open(os.path.join(folder, script), encoding="utf-8") as file:
            lines = [l for l in file if not l.startswith(("CREATE DATABASE", "DROP DATABASE", "\\c ", "\\connect"))]
        subprocess.run(["psql", "-Xq", "-d", "bench_%s" % name], input="".join(lines), text=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)
    return connect("bench_%s" % name)


TPCH = """
CREATE TABLE region (r_regionkey integer PRIMARY KEY, r_name char(25) NOT NULL, r_comment varchar(152));
CREATE TABLE nation (n_nationkey integer PRIMARY KEY, n_name char(25) NOT NULL, n_regionkey integer NOT NULL REFERENCES region,
    n_comment varchar(152));
CREATE TABLE part (p_partkey integer PRIMARY KEY, p_name varchar(55) NOT NULL, p_mfgr char(25) NOT NULL, p_brand char(10) NOT NULL,
    p_type varchar(25) NOT NULL, p_size integer NOT NULL, p_container char(10) NOT NULL, p_retailprice numeric(15,2) NOT NULL,
    p_comment varchar(23) NOT NULL);
CREATE TABLE supplier (s_suppkey integer PRIMARY KEY, s_name char(25) NOT NULL, s_address varchar(40) NOT NULL,
    s_nationkey integer NOT NULL REFERENCES nation, s_phone char(15) NOT NULL, s_acctbal numeric(15,2) NOT NULL,
    s_comment varchar(101) NOT NULL);
CREATE TABLE partsupp (ps_partkey integer NOT NULL REFERENCES part, ps_suppkey integer NOT NULL REFERENCES supplier,
    ps_availqty integer NOT NULL, ps_supplycost numeric(15,2) NOT NULL, ps_comment varchar(199) NOT NULL,
    PRIMARY KEY (ps_partkey, ps_suppkey));
CREATE TABLE customer (c_custkey integer PRIMARY KEY, c_name varchar(25) NOT NULL, c_address varchar(40) NOT NULL,
    c_nationkey integer NOT NULL REFERENCES nation, c_phone char(15) NOT NULL, c_acctbal numeric(15,2) NOT NULL,
    c_mktsegment char(10) NOT NULL, c_comment varchar(117) NOT NULL);
CREATE TABLE orders (o_orderkey bigint PRIMARY KEY, o_custkey integer NOT NULL REFERENCES customer, o_orderstatus char(1) NOT NULL,
    o_totalprice numeric(15,2) NOT NULL, o_orderdate date NOT NULL, o_orderpriority char(15) NOT NULL, o_clerk char(15) NOT NULL,
    o_shippriority integer NOT NULL, o_comment varchar(79) NOT NULL);
CREATE TABLE lineitem (l_orderkey bigint NOT NULL REFERENCES orders, l_partkey integer NOT NULL REFERENCES part,
    l_suppkey integer NOT NULL REFERENCES supplier, l_linenumber integer NOT NULL, l_quantity numeric(15,2) NOT NULL,
    l_extendedprice numeric(15,2) NOT NULL, l_discount numeric(15,2) NOT NULL, l_tax numeric(15,2) NOT NULL,
    l_returnflag char(1) NOT NULL, l_linestatus char(1) NOT NULL, l_shipdate date NOT NULL, l_commitdate date NOT NULL,
    l_receiptdate date NOT NULL, l_shipinstruct char(25) NOT NULL, l_shipmode char(10) NOT NULL, l_comment varchar(44) NOT NULL,
    PRIMARY KEY (l_orderkey, l_linenumber), FOREIGN KEY (l_partkey, l_suppkey) REFERENCES partsupp);
"""
TPCH_TABLES = ("region", "nation", "part", "supplier", "partsupp", "customer", "orders", "lineitem")


def load_tpch(folder):
    create("bench_tpch")
    connection = connect("bench_tpch")
    cursor = connection.cursor()
    cursor.execute(TPCH)
    for table in TPCH_TABLES:
        with open(os.path.join(folder, table + ".csv"), encoding="utf-8") as file:
            cursor.copy_expert("COPY %s FROM STDIN WITH (FORMAT csv, HEADER)" % table, file)
    cursor.execute("ANALYZE")
    return connection


def rows_of(cursor, statement, *arguments):
    cursor.execute(statement, arguments)
    return cursor.fetchall()


# ---- what came out ----

def counts(cursor, schema):
    tables = [t for t, in rows_of(cursor, "SELECT relname FROM pg_class WHERE relnamespace = %s::regnamespace"
                                  " AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1", schema)]
    # foreign keys that partitions declare, each by itself, are one of their table
    kinds = dict(rows_of(cursor, "SELECT k.contype::text, count(DISTINCT (CASE WHEN c.relispartition THEN pg_partition_root(c.oid) ELSE c.oid END,"
                         " CASE k.contype WHEN 'f' THEN pg_get_constraintdef(k.oid) ELSE k.oid::text END))"
                         " FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid"
                         " WHERE c.relnamespace = %s::regnamespace AND (k.contype = 'f' OR NOT c.relispartition)"
                         " AND k.contype IN ('c', 'f', 'p', 'u') GROUP BY 1", schema))
    return tables, kinds


def foreign_keys(cursor, schema):
    return rows_of(cursor, "SELECT c.relname, a.attname, p.relname, b.attname FROM pg_constraint k"
                   " JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class p ON p.oid = k.confrelid"
                   " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1]"
                   " JOIN pg_attribute b ON b.attrelid = p.oid AND b.attnum = k.confkey[1]"
                   " WHERE k.contype = 'f' AND cardinality(k.conkey) = 1 AND c.relnamespace = %s::regnamespace"
                   " AND p.relnamespace = c.relnamespace AND NOT c.relispartition", schema)


def orphans(cursor, keys):
    return sum(rows_of(cursor, 'SELECT count(*) FROM copy."%s" c WHERE c."%s" IS NOT NULL'
                       ' AND NOT EXISTS (SELECT FROM copy."%s" p WHERE p."%s" = c."%s")' % (c, a, p, b, a))[0][0]
               for c, a, p, b in keys)


def columns_of(cursor, table, keys):
    """Columns that mean something: no keys of one column, no references, no long texts."""
    skipped = {a for c, a, _, _ in keys if c == table}
    return [(name, kind) for name, kind in rows_of(
        cursor, "SELECT a.attname, format_type(a.atttypid, NULL) FROM pg_attribute a WHERE a.attrelid = %s::regclass"
        " AND a.attnum > 0 AND NOT a.attisdropped AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = a.attrelid"
        " AND i.indisunique AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum) ORDER BY a.attnum", 'public."%s"' % table)
        if name not in skipped]


def codes(cursor, original, copy, kind):
    """Two columns of values as codes by one cut of the original."""
    if kind in NUMBERS:
        edges = np.unique(np.quantile([v for v in original if v is not None] or [0], np.linspace(0, 1, 21)[1:-1]))
        return [np.array([0 if v is None else 1 + np.searchsorted(edges, v, "right") for v in values])
                for values in (original, copy)]
    values, often = np.unique([v for v in original if v is not None] or [""], return_counts=True)
    code = {v: i + 2 for i, v in enumerate(values[np.argsort(-often)][:50])}
    return [np.array([0 if v is None else code.get(v, 1) for v in values]) for values in (original, copy)]


def expression(alias, name, kind):
    if kind in ("date",) or kind.startswith("timestamp"):
        return 'extract(epoch FROM %s."%s")::float8' % (alias, name)
    if kind == "interval":
        return 'extract(epoch FROM %s."%s")::float8' % (alias, name)
    return '%s."%s"::%s' % (alias, name, "numeric::float8" if kind == "money" else "float8" if kind in NUMBERS else "text")


def read(cursor, source, expressions):
    cursor.execute("SELECT %s FROM %s ORDER BY random() LIMIT %d" % (", ".join(expressions), source, ROWS))
    return list(zip(*cursor.fetchall())) or [()] * len(expressions)


def tvd(a, b):
    if len(a[0]) == 0 or len(b[0]) == 0:
        return float(len(a[0]) != len(b[0]))
    sizes = [max(x.max(), y.max()) + 1 for x, y in zip(a, b)]
    p, q = (np.bincount(np.ravel_multi_index(t, sizes), minlength=int(np.prod(sizes))) / len(t[0]) for t in (a, b))
    return 0.5 * np.abs(p - q).sum()


def independent(a):
    if len(a[0]) == 0:
        return 0.0
    sizes = [x.max() + 1 for x in a]
    p = np.bincount(np.ravel_multi_index(a, sizes), minlength=int(np.prod(sizes))) / len(a[0])
    q = np.outer(*(np.bincount(x, minlength=n) / len(x) for x, n in zip(a, sizes))).ravel()
    return 0.5 * np.abs(p - q).sum()


def coded(cursor, sources, chosen):
    """Codes of the columns (alias, name, kind) in both sources."""
    expressions = [expression(*c) for c in chosen]
    both = [read(cursor, s, expressions) for s in sources]
    return [codes(cursor, o, c, kind) for o, c, (_, _, kind) in zip(*both, chosen)]


TIMES = ("date", "timestamp without time zone", "timestamp with time zone")
ORDERED = 0.01  # of the original's rows break an order at most


def out_of_order(cursor, source, chosen):
    """The greatest share of the copy's rows that break an order of two times which the original has."""
    times = [(alias, name) for alias, name, kind in chosen if kind in TIMES]
    worst = 0
    for (a, first), (b, second) in itertools.permutations(times, 2):
        shares = [rows_of(cursor, 'SELECT coalesce(avg((%s."%s" > %s."%s")::int), 0)::float8 FROM %s'
                          % (a, first, b, second, source.format(schema)))[0][0] for schema in ("public", "copy")]
        if shares[0] <= ORDERED:
            worst = max(worst, shares[1] - shares[0])
    return worst


def modelled(cursor):
    return set(rows_of(cursor, "SELECT c.relname, d.column_name FROM dp_columns d JOIN pg_class c ON c.oid = d.relation"
                       " WHERE d.kind NOT IN ('key', 'fill')"))


def mean(values):
    return float(np.mean(values)) if values else float("nan")


def distances(cursor, tables, keys):
    """Of what is modelled: single columns, pairs, pairs across keys, these for independent columns, and orders; then what is not."""
    single, pairs, across, alone, order, known = [], [], [], [], 0, modelled(cursor)
    columns = {t: [(n, k) for n, k in columns_of(cursor, t, keys) if (t, n) in known] for t in tables}
    made_up = sum(len(columns_of(cursor, t, keys)) for t in tables) - sum(map(len, columns.values()))
    for table in tables:
        chosen = [("t", n, k) for n, k in columns[table]]
        if not chosen:
            continue
        both = coded(cursor, ['public."%s" t' % table, 'copy."%s" t' % table], chosen)
        single += [tvd([o], [c]) for o, c in both]
        pairs += [tvd([a[0], b[0]], [a[1], b[1]]) for a, b in itertools.combinations(both, 2)]
        order = max(order, out_of_order(cursor, '{0}."%s" t' % table, chosen))
    for child, column, parent, key in keys:
        if child not in tables or parent not in tables:
            continue
        chosen = [("c", n, k) for n, k in columns[child]] + [("p", n, k) for n, k in columns[parent]]
        source = '{0}."%s" c JOIN {0}."%s" p ON c."%s" = p."%s"' % (child, parent, column, key)
        if not chosen:
            continue
        both = coded(cursor, [source.format("public"), source.format("copy")], chosen)
        for i, j in itertools.combinations(range(len(chosen)), 2):
            if chosen[i][0] == chosen[j][0]:
                continue
            across.append(tvd([both[i][0], both[j][0]], [both[i][1], both[j][1]]))
            alone.append(independent([both[i][0], both[j][0]]))
        order = max(order, out_of_order(cursor, source, chosen))
    return mean(single), mean(pairs), mean(across), mean(alone), order, made_up


def loads_elsewhere(name):
    """Whether pg_restore of the copy, after the definitions of the original, which has its types, ends without an error."""
    create("restored_%s" % name)
    connect("restored_%s" % name).cursor().execute("DROP SCHEMA public")
    for schema, words in ("public", ["--schema-only", "--section=pre-data"]), ("copy", []):
        dump = subprocess.run(["pg_dump", "-Fc", "-n", schema, *words, "bench_%s" % name], stdout=subprocess.PIPE, check=True)
        restore = subprocess.run(["pg_restore", "--exit-on-error", "-d", "restored_%s" % name], input=dump.stdout, check=False)
        if restore.returncode != 0:
            return False
    return True


# ---- one database ----

def run(name, folder, epsilon):
    cursor = (load_tpch(folder) if name == "tpch" else load(name, folder)).cursor()
    cursor.execute("CREATE EXTENSION dpsyn")
    begin = time.perf_counter()
    cursor.execute("\n".join(line for line, in rows_of(cursor, "SELECT dp_suggest_protection('public')")))
    suggested = time.perf_counter() - begin
    cursor.execute("CREATE SCHEMA copy")
    begin = time.perf_counter()
    rows = rows_of(cursor, "SELECT relation::text, rows FROM dp_create_synthetic('public', 'copy', %s, 1e-9)", epsilon)
    seconds = time.perf_counter() - begin
    (before, kinds), (after, kept) = counts(cursor, "public"), counts(cursor, "copy")
    protected = [t for t, in rows_of(cursor, "SELECT relname FROM pg_class c JOIN dp_datasets d ON d.relation = c.oid")]
    keys = foreign_keys(cursor, "copy")
    single, pairs, across, alone, order, made_up = distances(cursor, protected, keys)
    share = lambda kind: "%d of %d" % (kept.get(kind, 0), kinds.get(kind, 0))
    print("| %s | %g | %.1f | %.1f | %d of %d | %d | %s | %s | %s | %d | %.3f | %.3f | %.3f | %.3f | %.1f %% | %d | %s |" % (
        name, epsilon, suggested, seconds, len(after), len(before), sum(r for _, r in rows), share("p"), share("f"), share("c"),
        orphans(cursor, keys), single, pairs, across, alone, 100 * order, made_up, "yes" if loads_elsewhere(name) else "no"),
        flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", required=True)
    parser.add_argument("--tpch")
    parser.add_argument("--epsilon", type=float, default=1)
    parser.add_argument("--databases", nargs="*", default=sorted(SCRIPTS))
    arguments = parser.parse_args()
    print("| database | epsilon | seconds for the script | seconds | tables | rows | primary keys | foreign keys | CHECKs | orphans | tvd1 | tvd2 | across keys | independent | out of order | made up | restored |")
    print("|" + "---|" * 17)
    for name in arguments.databases:
        run(name, arguments.folder, arguments.epsilon)
    if arguments.tpch:
        run("tpch", arguments.tpch, arguments.epsilon)


if __name__ == "__main__":
    main()
