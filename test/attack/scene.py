"""The scene of the attacks: a protected table, a slow view, analysts with budgets."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from dptest import connect, run  # noqa: E402

ROWS = 20011  # an exact count that must not show up anywhere
SICK = "tuberculosis"  # a value that must not either

OPTIONS = '{"dense_cells": 1000}'
RELEASE = "SELECT dp_release('people', 'sba', 0.5, 0, '%s')" % OPTIONS
SLOW = "SELECT dp_release('slow', 'sba', 0.5, 0, '%s')" % OPTIONS
ROWS_OF = "SELECT * FROM dp_synthesize_sba(NULL::people, 0.5, dense_cells => 1000, rows => 2000)"

SETUP = """
CREATE EXTENSION dpsyn;
CREATE ROLE boss LOGIN;
CREATE ROLE ann LOGIN;
CREATE ROLE bob LOGIN;
CREATE ROLE carol LOGIN;
CREATE ROLE eve LOGIN;
GRANT CREATE ON DATABASE postgres TO ann, eve;
CREATE SCHEMA ann AUTHORIZATION ann;
CREATE SCHEMA eve AUTHORIZATION eve;
GRANT CREATE ON SCHEMA public TO boss;
SET SESSION AUTHORIZATION boss;

CREATE TABLE people (id integer PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('f', 'm')),
					 smoker boolean NOT NULL, illness text);
INSERT INTO people SELECT i, CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END, i % 5 = 0,
						  CASE WHEN i = 7 THEN '{sick}' ELSE '12' END
  FROM generate_series(1, {rows}) i;
ANALYZE people;
SELECT dp_protect('people', 1000000, 0.5);
SELECT dp_grant('people', who, 100000, 0.1) FROM unnest('{{ann,bob,eve}}'::regrole[]) who;

-- 40 rows, each of which takes its time
CREATE VIEW slow AS SELECT i AS id, i % 2 = 0 AS even FROM generate_series(1, 40) i
 WHERE pg_sleep(0.03)::text = '';
SELECT dp_protect('slow', 1000000, sensitivity => 1);
SELECT dp_grant('slow', 'ann', 100000);
SELECT dp_define_column('slow', 'even', categories => '{{true,false}}');

-- reading it fails at a value
CREATE VIEW broken AS SELECT sex, illness::integer AS illness FROM people;
SELECT dp_protect('broken', 1000000);
SELECT dp_grant('broken', 'ann', 100000);
SELECT dp_define_column('broken', 'illness', bins => '{{0,10,20}}');

-- the settings under which a worker reads
CREATE VIEW seen AS SELECT current_setting(name) AS value, name::text
  FROM unnest('{{synchronous_commit,search_path,session_replication_role,transaction_isolation,'
			  'transaction_read_only,row_security,statement_timeout,track_counts}}'::text[]) name;
SELECT dp_protect('seen', 1000000, sensitivity => 1);
SELECT dp_grant('seen', 'ann', 100000);
SELECT dp_define_column('seen', 'name', categories => '{{synchronous_commit,search_path,'
	'session_replication_role,transaction_isolation,transaction_read_only,row_security,'
	'statement_timeout,track_counts}}');
SELECT dp_define_column('seen', 'value', categories => '{{on,off,local,origin,replica,0,'
	'serializable,repeatable read,read committed,"pg_catalog, pg_temp",1ms,5min,public}}');
"""


def set_up():
    boss = connect()
    run(boss, SETUP.format(rows=ROWS, sick=SICK))
    run(boss, "RESET SESSION AUTHORIZATION")
    return boss
