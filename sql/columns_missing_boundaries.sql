-- Bins have an edge where values of another column begin to be missing, as far as noise lets it be found.
SET client_min_messages = error;
CREATE SCHEMA t92;
SET search_path = t92, public;
CREATE TABLE pensions (age integer NOT NULL CHECK (age BETWEEN 0 AND 119), pension integer CHECK (pension BETWEEN 0 AND 9999), kind text NOT NULL CHECK (kind IN ('a', 'b')));
INSERT INTO pensions SELECT i % 120, CASE WHEN i % 120 >= 67 THEN 1000 + i % 500 END, CASE WHEN i % 7 < 3 THEN 'a' ELSE 'b' END FROM generate_series(1, 6000) i;
SELECT dp_protect('pensions', 1000, 0.1);
-- a stage of its own, which is part of what ranges cost
SELECT stage, mechanism, tables FROM dp_explain('pensions', 'mst', 10, 1e-9) WHERE stage ~ 'bins';
SELECT stage, mechanism, tables, epsilon_each FROM dp_explain('pensions', 'sbhg', 10, 1e-9) WHERE stage ~ 'bins';
SELECT sum(rho_total) < 0.1001 * max(t) AS within_share FROM dp_explain('pensions', 'mst', 10, 1e-9) e,
	   (SELECT rho_total AS t FROM dp_explain('pensions', 'mst', 10, 1e-9) WHERE stage = 'total') x WHERE stage ~ 'bins';
-- the edge is there, and bins are no more than they may be
SELECT dp_release('pensions', 'mst', 20, 1e-9) AS release \gset
SELECT count(*) FILTER (WHERE cell->>'age' LIKE '[67,%') AS begins, count(*) <= 32 AS not_too_many FROM dp_release_cells(:release) WHERE attributes = '{age}';
SELECT count(*) FILTER (WHERE age < 67 AND pension IS NOT NULL) * 50 < count(*) AND count(*) FILTER (WHERE age >= 67 AND pension IS NULL) * 50 < count(*) AS as_the_data FROM dp_sample(NULL::pensions, :release);
SELECT dp_define_column('pensions', 'age', range => '{0,119}', bins_max => 5);
SELECT dp_release('pensions', 'sbhg', 100, 1e-9) AS release \gset
SELECT count(DISTINCT cell->>'age') <= 5 AS not_too_many FROM dp_release_cells(:release) WHERE 'age' = ANY (attributes);
-- nothing is placed where no column may be missing
DELETE FROM pensions WHERE pension IS NULL;
ALTER TABLE pensions ALTER pension SET NOT NULL;
SELECT count(*) FROM dp_explain('pensions', 'mst', 10, 1e-9) WHERE stage ~ 'edges';
DROP SCHEMA t92 CASCADE;
