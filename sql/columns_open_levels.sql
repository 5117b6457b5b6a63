-- Open columns of methods that must know sizes beforehand: no more values are kept than open_levels.
-- Epsilons are so large that no noise is left.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t88;
SET search_path = t88, public;
SET client_min_messages = error;
CREATE TABLE t (sex text NOT NULL CHECK (sex IN ('f', 'm')), town text);
INSERT INTO t SELECT (ARRAY['f', 'm'])[1 + i % 2], 'town' || n FROM generate_series(1, 6) n, generate_series(1, 100 * n) i;
INSERT INTO t SELECT 'f', NULL FROM generate_series(1, 50);
SELECT dp_protect('t', 1000000, 0.9);
SELECT dp_define_column('t', 'town', open => true);

-- the plan takes the largest that there may be; the rest is what is found
SELECT stage, cells FROM dp_explain('t', 'cipher', 1000, 0.01, '{"open_levels": 3}') WHERE cells IS NOT NULL;
SELECT stage, cells FROM dp_explain('t', 'cipher', 1000, 0.01) WHERE cells IS NOT NULL;
SELECT town, count(*) BETWEEN 1 AND 2150 FROM dp_synthesize_cipher(NULL::t, 100000, 0.01, open_levels => 3) GROUP BY town ORDER BY town;
SELECT count(DISTINCT town) FROM dp_synthesize_cipher(NULL::t, 100000, 0.01);
SELECT town FROM dp_synthesize_mwem(NULL::t, 100000, 0.01, open_levels => 1) GROUP BY town ORDER BY town;
SELECT count(*), bool_and(town IS NULL OR town IN ('town5', 'town6')) FROM dp_synthesize_pmi(NULL::t, 300000, 0.01, rows => 50, open_levels => 2);
-- it needs a delta, and room
SELECT dp_release('t', 'cipher', 1);
SELECT dp_release('t', 'cipher', 1, 0.01, '{"open_levels": 100, "cell_limit": 100}');
SELECT dp_release('t', 'cipher', 1, 0.01, '{"solver": "graphical"}');
SELECT dp_release('t', 'mwem', 1, 0.01, '{"open_levels": 0}');
SELECT dp_release('t', 'sbhg', 1, 0.01, '{"open_levels": 3}');

-- a column with a domain needs no delta, and has no more levels than that
SELECT dp_define_column('t', 'town', open => true, domain => '["town1", "town2", "town6"]');
SELECT stage, cells FROM dp_explain('t', 'mwem', 1000, 0, '{"rounds": 1}') WHERE stage LIKE 'discover%';
SELECT count(*) BETWEEN 30 AND 200 FROM dp_synthesize_cipher(NULL::t, 100000) WHERE town = 'town1';
SELECT town FROM dp_synthesize_cipher(NULL::t, 100000, open_levels => 2) GROUP BY town ORDER BY town;
DROP SCHEMA t88 CASCADE;
