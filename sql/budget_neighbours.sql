-- Neighbouring relations: under replace_one the number of rows is public and
-- exact, under add_remove it is noisy; noise and thresholds follow.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t14;
CREATE ROLE regress_dp_14_owner;
GRANT USAGE, CREATE ON SCHEMA t14 TO regress_dp_14_owner;
SET search_path = t14, public;
SET SESSION AUTHORIZATION regress_dp_14_owner;
CREATE TABLE replaced (flag boolean NOT NULL, n int CHECK (n IN (1, 2, 3)));
CREATE TABLE added (LIKE replaced INCLUDING ALL);
INSERT INTO replaced SELECT i % 2 = 0, 1 + i % 3 FROM generate_series(1, 777) i;
INSERT INTO added SELECT * FROM replaced;
SELECT dp_protect('replaced', 1000, 0.1, 'replace_one');
SELECT dp_protect('added', 1000, 0.1);
SELECT relation, neighbours FROM dp_datasets ORDER BY relation::text;

-- the count is exact at any epsilon, by any method
CREATE FUNCTION rows_released(relation regclass, method text, epsilon numeric, options jsonb) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	id bigint := dp_release($1, $2, $3, 1e-6, $4);
BEGIN
	RETURN (SELECT r.rows FROM dp_releases r WHERE r.release = id);
END
$$;
SELECT method, options, rows_released('replaced', method, 0.01, options)
  FROM (VALUES ('sba', '{}'::jsonb), ('sba', '{"dense_cells": 100}'), ('sbhg', '{}'), ('sbhg', '{"dense_cells": 0}')) o (method, options);
SET client_min_messages = warning;
SELECT count(*) FROM dp_synthesize_sbhg(NULL::replaced, 0.01);
SELECT count(*) FROM dp_synthesize_sba(NULL::replaced, 0.01, 1e-6);

-- 20 noisy counts of standard deviation 70 and more are not all 777: each is with less than 0.01
SELECT count(*) FILTER (WHERE r <> 777) > 0, bool_and(r >= 0)
  FROM (SELECT rows_released('added', 'sba', 1, '{}') AS r FROM generate_series(1, 20)) x;
SELECT count(*) FILTER (WHERE r <> 777) > 0
  FROM (SELECT rows_released('added', 'sbhg', 0.1, '{}') AS r FROM generate_series(1, 20)) x;
-- and at an epsilon that hides nothing they are all 777
SELECT rows_released('added', 'sba', 100, '{"count_share": 0.5}');

-- replacing a row changes counts twice as much as adding one
SELECT r.stage, r.epsilon_each, a.epsilon_each, r.noise_stddev = a.noise_stddev, r.threshold = a.threshold
  FROM dp_explain('replaced', 'sbhg', 2, 1e-6, '{"dense_cells": 0}') r,
	   dp_explain('added', 'sbhg', 2, 1e-6, '{"dense_cells": 0, "count_share": 0.5}') a WHERE r.step = 1 AND a.step = 2;
SELECT r.stage, r.tables, r.epsilon_total, a.epsilon_total, round((r.noise_stddev / a.noise_stddev)::numeric, 2)
  FROM dp_explain('replaced', 'sbhg', 0.1) r, dp_explain('added', 'sbhg', 0.1) a WHERE r.step = 1 AND a.step = 1;
SELECT stage FROM dp_explain('replaced', 'sba', 1, 1e-6);
SELECT stage FROM dp_explain('added', 'sba', 1, 1e-6);

RESET SESSION AUTHORIZATION;
SET client_min_messages = warning;
DROP SCHEMA t14 CASCADE;
DROP ROLE regress_dp_14_owner;
