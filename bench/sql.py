"""TPC-H's queries as its specification prints them, asked by dp_sql of tables in which customers are
protected, orders and lines belong to them, and the rest is public: how far off the answers are at one
epsilon, and the time beside the plain query of the same run.

Of those that list customers or orders (Q3, Q10) the groups are others, which are public. The tables
come from tpchgen-cli (PyPI): tpchgen-cli -s 0.1 --output-dir DIR."""
import argparse
import os
import statistics
import time
from contextlib import closing

import psycopg2

TABLES = {
    "region": "r_regionkey integer PRIMARY KEY, r_name char(25) NOT NULL, r_comment varchar(152)",
    "nation": "n_nationkey integer PRIMARY KEY, n_name char(25) NOT NULL, n_regionkey integer NOT NULL REFERENCES region, "
              "n_comment varchar(152)",
    "part": "p_partkey integer PRIMARY KEY, p_name varchar(55), p_mfgr char(25), p_brand char(10) NOT NULL, "
            "p_type varchar(25) NOT NULL, p_size integer NOT NULL, p_container char(10) NOT NULL, "
            "p_retailprice numeric(15,2), p_comment varchar(23)",
    "supplier": "s_suppkey integer PRIMARY KEY, s_name char(25), s_address varchar(40), "
                "s_nationkey integer NOT NULL REFERENCES nation, s_phone char(15), s_acctbal numeric(15,2), s_comment varchar(101)",
    "customer": "c_custkey integer PRIMARY KEY, c_name varchar(25), c_address varchar(40), "
                "c_nationkey integer NOT NULL REFERENCES nation, c_phone char(15) NOT NULL, c_acctbal numeric(15,2) NOT NULL, "
                "c_mktsegment char(10) NOT NULL, c_comment varchar(117)",
    "orders": "o_orderkey integer PRIMARY KEY, o_custkey integer NOT NULL REFERENCES customer, o_orderstatus char(1) NOT NULL, "
              "o_totalprice numeric(15,2) NOT NULL, o_orderdate date NOT NULL, o_orderpriority char(15) NOT NULL, "
              "o_clerk char(15), o_shippriority integer, o_comment varchar(79) NOT NULL",
    "lineitem": "l_orderkey integer NOT NULL REFERENCES orders, l_partkey integer NOT NULL REFERENCES part, "
                "l_suppkey integer NOT NULL REFERENCES supplier, l_linenumber integer NOT NULL, l_quantity numeric(15,2) NOT NULL, "
                "l_extendedprice numeric(15,2) NOT NULL, l_discount numeric(15,2) NOT NULL, l_tax numeric(15,2) NOT NULL, "
                "l_returnflag char(1) NOT NULL, l_linestatus char(1) NOT NULL, l_shipdate date NOT NULL, "
                "l_commitdate date NOT NULL, l_receiptdate date NOT NULL, l_shipinstruct char(25) NOT NULL, "
                "l_shipmode char(10) NOT NULL, l_comment varchar(44), PRIMARY KEY (l_orderkey, l_linenumber)",
}
DATES = "range => '{1992-01-01,1998-12-31}'"
DECLARED = {
    "lineitem": {"l_quantity": "range => '{1,50}'", "l_extendedprice": "range => '{900,105000}'",
                 "l_discount": "range => '{0,0.1}'", "l_tax": "range => '{0,0.08}'", "l_shipdate": DATES,
                 "l_commitdate": DATES, "l_receiptdate": DATES, "l_returnflag": "categories => '{A,N,R}'",
                 "l_linestatus": "categories => '{F,O}'",
                 "l_shipmode": "categories => '{AIR,FOB,MAIL,RAIL,REG AIR,SHIP,TRUCK}'"},
    "orders": {"o_orderdate": DATES,
               "o_orderpriority": "categories => '{1-URGENT,2-HIGH,3-MEDIUM,4-NOT SPECIFIED,5-LOW}'"},
    "customer": {"c_acctbal": "range => '{-1000,10000}'"},
}
PRICE = "l_extendedprice * (1 - l_discount)"
YEAR = "date '{0}' AND {1} < date '{0}' + interval '1' {2}"
QUERIES = {
    "Q1": "SELECT l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice), sum(" + PRICE + "), sum(" + PRICE +
          " * (1 + l_tax)), avg(l_quantity), avg(l_extendedprice), avg(l_discount), count(*) FROM lineitem WHERE l_shipdate <= "
          "date '1998-12-01' - interval '90' day GROUP BY 1, 2",
    "Q3, by priority": "SELECT o_orderpriority, sum(" + PRICE + ") FROM customer, orders, lineitem WHERE c_mktsegment = 'BUILDING' "
          "AND c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate < date '1995-03-15' AND l_shipdate > "
          "date '1995-03-15' GROUP BY 1",
    "Q5": "SELECT n_name, sum(" + PRICE + ") FROM customer, orders, lineitem, supplier, nation, region WHERE c_custkey = o_custkey "
          "AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey AND c_nationkey = s_nationkey AND s_nationkey = n_nationkey "
          "AND n_regionkey = r_regionkey AND r_name = 'ASIA' AND o_orderdate >= " + YEAR.format("1994-01-01", "o_orderdate", "year")
          + " GROUP BY 1",
    "Q6": "SELECT sum(l_extendedprice * l_discount) FROM lineitem WHERE l_shipdate >= "
          + YEAR.format("1994-01-01", "l_shipdate", "year") + " AND l_discount BETWEEN 0.06 - 0.01 AND 0.06 + 0.01 AND l_quantity < 24",
    "Q7": "SELECT n1.n_name, n2.n_name, extract(year FROM l_shipdate), sum(" + PRICE + ") FROM supplier, lineitem, orders, customer, "
          "nation n1, nation n2 WHERE s_suppkey = l_suppkey AND o_orderkey = l_orderkey AND c_custkey = o_custkey AND "
          "s_nationkey = n1.n_nationkey AND c_nationkey = n2.n_nationkey AND ((n1.n_name = 'FRANCE' AND n2.n_name = 'GERMANY') OR "
          "(n1.n_name = 'GERMANY' AND n2.n_name = 'FRANCE')) AND l_shipdate BETWEEN date '1995-01-01' AND date '1996-12-31' "
          "GROUP BY 1, 2, 3",
    "Q10, by nation": "SELECT n_name, sum(" + PRICE + ") FROM customer, orders, lineitem, nation WHERE c_custkey = o_custkey AND "
          "l_orderkey = o_orderkey AND o_orderdate >= date '1993-10-01' AND o_orderdate < date '1993-10-01' + interval '3' month AND "
          "l_returnflag = 'R' AND c_nationkey = n_nationkey GROUP BY 1",
    "Q12": "SELECT l_shipmode, sum(CASE WHEN o_orderpriority = '1-URGENT' OR o_orderpriority = '2-HIGH' THEN 1 ELSE 0 END), "
           "sum(CASE WHEN o_orderpriority <> '1-URGENT' AND o_orderpriority <> '2-HIGH' THEN 1 ELSE 0 END) FROM orders, lineitem "
           "WHERE o_orderkey = l_orderkey AND l_shipmode IN ('MAIL', 'SHIP') AND l_commitdate < l_receiptdate AND l_shipdate < "
           "l_commitdate AND l_receiptdate >= " + YEAR.format("1994-01-01", "l_receiptdate", "year") + " GROUP BY 1",
    "Q13": "SELECT c_count, count(*) FROM (SELECT c_custkey, count(o_orderkey) FROM customer LEFT OUTER JOIN orders ON "
           "c_custkey = o_custkey AND o_comment NOT LIKE '%%special%%requests%%' GROUP BY c_custkey) AS c_orders (c_custkey, c_count) "
           "GROUP BY 1",
    "Q14": "SELECT 100.00 * sum(CASE WHEN p_type LIKE 'PROMO%%' THEN " + PRICE + " ELSE 0 END) / sum(" + PRICE + ") FROM lineitem, "
           "part WHERE l_partkey = p_partkey AND l_shipdate >= " + YEAR.format("1995-09-01", "l_shipdate", "month"),
    "Q19": "SELECT sum(" + PRICE + ") FROM lineitem, part WHERE " + " OR ".join(
        "(p_partkey = l_partkey AND p_brand = '%s' AND p_container IN (%s) AND l_quantity >= %d AND l_quantity <= %d + 10 AND "
        "p_size BETWEEN 1 AND %d AND l_shipmode IN ('AIR', 'AIR REG') AND l_shipinstruct = 'DELIVER IN PERSON')"
        % (brand, ", ".join("'%s %s'" % (size, kind) for kind in kinds), least, least, most)
        for brand, size, kinds, least, most in (
            ("Brand#12", "SM", ("CASE", "BOX", "PACK", "PKG"), 1, 5), ("Brand#23", "MED", ("BAG", "BOX", "PKG", "PACK"), 10, 10),
            ("Brand#34", "LG", ("CASE", "BOX", "PACK", "PKG"), 20, 15))),
}
QUERIES["Q4"] = (
    "SELECT o_orderpriority, count(*) FROM orders WHERE o_orderdate >= date '1993-07-01' AND o_orderdate < date '1993-07-01' + "
    "interval '3' month AND EXISTS (SELECT * FROM lineitem WHERE l_orderkey = o_orderkey AND l_commitdate < l_receiptdate) GROUP BY 1")
QUERIES["Q22"] = (
    "SELECT cntrycode, count(*), sum(c_acctbal) FROM (SELECT substring(c_phone FROM 1 FOR 2) AS cntrycode, c_acctbal FROM customer "
    "WHERE substring(c_phone FROM 1 FOR 2) IN ('13', '31', '23', '29', '30', '18', '17') AND c_acctbal > (SELECT avg(c_acctbal) FROM "
    "customer WHERE c_acctbal > 0.00 AND substring(c_phone FROM 1 FOR 2) IN ('13', '31', '23', '29', '30', '18', '17')) AND NOT EXISTS "
    "(SELECT * FROM orders WHERE o_custkey = c_custkey)) AS custsale GROUP BY 1")
GROUPS = {"Q4": 1, "Q22": 1, "Q1": 2, "Q3, by priority": 1, "Q5": 1, "Q7": 3, "Q10, by nation": 1, "Q12": 1, "Q13": 1}


def run(connection, statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []


def load(boss, data):
    for name, columns in TABLES.items():
        run(boss, "CREATE TABLE %s (%s)" % (name, columns))
        with boss.cursor() as cursor, open(os.path.join(data, name + ".tbl"), encoding="ascii") as rows:
            cursor.copy_expert("COPY %s FROM STDIN (DELIMITER '|')" % name, Lines(rows))
    run(boss, "ANALYZE")
    run(boss, "SELECT dp_declare_public(r) FROM unnest('{region,nation,part,supplier}'::regclass[]) r")
    run(boss, "SELECT dp_protect('customer', 1000000), dp_protect('orders', parent => 'customer', max_rows_per_unit => 30),"
              " dp_protect('lineitem', parent => 'orders', max_rows_per_unit => 7)")
    for table, columns in DECLARED.items():
        for column, what in columns.items():
            run(boss, "SELECT dp_define_column('%s', '%s', %s)" % (table, column, what))


class Lines:
    """The rows of a file without the bar at the end of each."""

    def __init__(self, rows):
        self.rows, self.left = rows, ""

    def read(self, size):
        while len(self.left) < size:
            line = self.rows.readline()
            if not line:
                break
            self.left += line.rstrip("\n").rstrip("|") + "\n"
        taken, self.left = self.left[:size], self.left[size:]
        return taken


def by_group(rows, groups):
    return {tuple(str(value).split(".", 1)[0].strip() for value in row[:groups]): row[groups:] for row in rows}


def errors(answer, true):
    """The relative error, in percent, of each number of each group that somebody is in."""
    found = []
    for group, numbers in true.items():
        for at, number in enumerate(numbers):
            told = answer[group][at] if group in answer else None
            found.append(100 * abs(float(told or 0) - float(number)) / abs(float(number)))
    return found


def timed(connection, statement):
    begin = time.perf_counter()
    rows = run(connection, statement)
    return rows, time.perf_counter() - begin


def measure(boss, asker, statement, groups, runs):
    plain, private, off = [], [], []
    for _ in range(runs):
        rows, seconds = timed(boss, statement)
        plain.append(seconds)
        answer, seconds = timed(asker, statement)
        private.append(seconds)
        off.append(statistics.median(errors(by_group(answer, groups), by_group(rows, groups))))
    return statistics.median(off), statistics.median(plain), statistics.median(private), len(rows)


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--data", required=True)
    words.add_argument("--runs", type=int, default=10)
    words.add_argument("--epsilon", type=float, default=1)
    words.add_argument("--queries", nargs="*", default=list(QUERIES))
    given = words.parse_args()
    with closing(psycopg2.connect("")) as boss, closing(psycopg2.connect("")) as asker:
        boss.autocommit = asker.autocommit = True
        run(boss, "CREATE EXTENSION IF NOT EXISTS dpsyn")
        load(boss, given.data)
        run(boss, "CREATE ROLE sql_analyst; GRANT SELECT ON region, nation, part, supplier TO sql_analyst")
        run(boss, "SELECT dp_grant(r, 'sql_analyst', 500000) FROM unnest('{customer,orders,lineitem}'::regclass[]) r")
        run(asker, "SET ROLE sql_analyst")
        run(asker, "SELECT dp_private_queries(%r, refresh => '0')" % given.epsilon)
        print("| query | groups | median relative error, % | plain, s | private, s | ratio |\n|---|---|---|---|---|---|")
        for name in given.queries:
            off, plain, private, rows = measure(boss, asker, QUERIES[name].replace("%%", "%"), GROUPS.get(name, 0), given.runs)
            print("| %s | %d | %.2f | %.2f | %.2f | %.1f |" % (name, rows, off, plain, private, private / plain), flush=True)


if __name__ == "__main__":
    main()
