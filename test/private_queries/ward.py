"""A hospital: patients with visits, which are protected, and wards, which are public."""
from dptest import run

ROWS = 600

STATEMENTS = """
CREATE EXTENSION dpsyn;
CREATE EXTENSION citext;
CREATE ROLE ana LOGIN;
CREATE ROLE dashboard LOGIN;
CREATE TABLE wards (ward int PRIMARY KEY, name text NOT NULL, beds int NOT NULL);
CREATE TABLE patients (id int PRIMARY KEY, sex text, born date NOT NULL);
CREATE TABLE visits (id int PRIMARY KEY, patient int NOT NULL REFERENCES patients, ward int REFERENCES wards,
	kind text, price numeric(8,2) NOT NULL, score float8, at timestamp NOT NULL, urgent boolean NOT NULL);
INSERT INTO wards VALUES (1, 'er', 10), (2, 'icu', 4), (3, 'eye', 7);
INSERT INTO patients SELECT i, CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN 'm' ELSE 'f' END, date '1950-01-01' + i * 97
  FROM generate_series(1, 200) i;
INSERT INTO visits SELECT i, 1 + i % 200, 1 + i % 2, CASE i % 4 WHEN 0 THEN 'a' WHEN 1 THEN 'b' WHEN 2 THEN NULL ELSE 'b' END,
	i % 100, i % 7 / 7.0, timestamp '2024-01-01' + i * interval '10 hours', i % 3 = 0
  FROM generate_series(1, %d) i;
ALTER TABLE visits ADD cost money, ADD tag citext;
UPDATE visits SET cost = price::money / 3, tag = (ARRAY['Red', 'red', 'Blue', NULL])[1 + id % 4];
GRANT SELECT ON wards TO ana, dashboard;
SELECT dp_declare_public('wards');
SELECT dp_protect('patients', 1000000, 0.5), dp_protect('visits', parent => 'patients', max_rows_per_unit => 5);
SELECT dp_define_column('patients', 'sex', '{f,m}'), dp_define_column('patients', 'born', range => '{1940-01-01,2010-01-01}'),
	dp_define_column('visits', 'kind', '{a,b,c}'), dp_define_column('visits', 'price', range => '{0,100}'),
	dp_define_column('visits', 'score', range => '{0,1}', resolution => '0.01'),
	dp_define_column('visits', 'cost', range => '{0,40}'), dp_define_column('visits', 'tag', '{Red,Blue}'),
	dp_define_column('visits', 'at', range => '{2024-01-01,2024-12-31}');
SELECT dp_grant(r, a, 400000, 0.1) FROM unnest('{patients,visits}'::regclass[]) r, unnest('{ana,dashboard}'::regrole[]) a;
CREATE VIEW debits AS SELECT count(*) AS debits FROM dp_ledger;
GRANT SELECT ON debits TO ana, dashboard;
"""


def build(boss):
    for statement in (STATEMENTS.replace("%d", str(ROWS))).split(";\n"):
        if statement.strip():
            run(boss, "SET client_min_messages = error")
            run(boss, statement)
