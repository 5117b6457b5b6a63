-- dp_marginals and its kin against plain GROUP BY: types, NULLs, values outside
-- the domain, partitions, parallel plans, states that move as text.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
SET client_min_messages = warning;
CREATE SCHEMA t20;
SET search_path = t20, public;

-- a table of every kind of column; k is 0 to 6999
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE COLLATION anycase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE source AS
SELECT k, (k * 7919 % 13)::smallint - 4::smallint AS small, k % 3 = 0 AS flag, k * 31 % 50 AS n, (k * 17 % 7)::bigint * 5000000000 AS big,
	   (array['a', 'bb', 'ccc', 'dddd', 'Never-married', 'exactly-8', 'sixteen-bytes-16', 'seventeen-bytes-17', '', 'zzz'])[1 + k % 10] AS word,
	   (array['a', 'A', 'b', 'B', 'c'])[1 + k % 5] COLLATE anycase AS folded,
	   (enum_range(NULL::mood))[1 + k % 3] AS mood, (k * 13 % 40) / 10.0 AS num, (k % 90) * 1.5::float8 AS x,
	   date '2020-01-01' + k % 400 AS day, (array['x', 'y '])[1 + k % 2]::char(3) AS padded,
	   ('00000000-0000-0000-0000-00000000000' || k % 4)::uuid AS id
  FROM generate_series(0, 6999) k;
UPDATE source SET small = NULL, word = NULL, x = NULL WHERE k % 11 = 0;
UPDATE source SET mood = NULL, n = NULL, day = NULL WHERE k % 17 = 0;

SELECT dp_marginal_spec(domains => '[
	{"name": "small", "levels": 6, "type": "smallint"}, {"name": "flag", "categories": ["true", "false"], "other": false},
	{"name": "n", "bins": [0, 10, 20, 45], "type": "integer"}, {"name": "big", "categories": [0, 5000000000, 10000000000]},
	{"name": "word", "categories": ["a", "bb", "ccc", "dddd", "Never-married", "exactly-8", "sixteen-bytes-16", "seventeen-bytes-17", ""], "other": "rest"},
	{"name": "mood", "categories": ["happy", "sad"]}, {"name": "num", "categories": ["0.0", "1", "2.50"], "type": "numeric"},
	{"name": "x", "bins": [10, 20.5, 100], "type": "double precision"}, {"name": "day", "bins": ["2020-01-01", "2020-06-01", "2021-01-01"], "type": "date"},
	{"name": "padded", "categories": ["x", "z"]}, {"name": "id", "categories": ["00000000-0000-0000-0000-000000000001"]}]') AS spec \gset

-- the same by hand: each column as the name of its cell
CREATE VIEW coded AS
SELECT CASE WHEN small BETWEEN 0 AND 5 THEN small::text END AS small, flag::text AS flag,
	   CASE WHEN n < 10 THEN '[0,10)' WHEN n < 20 THEN '[10,20)' WHEN n >= 20 THEN '[20,45]' END AS n,
	   CASE WHEN big <= 10000000000 THEN big::text END AS big, CASE WHEN word <> 'zzz' THEN word ELSE 'rest' END AS word,
	   CASE WHEN mood <> 'ok' THEN mood::text END AS mood,
	   CASE num WHEN 0 THEN '0.0' WHEN 1 THEN '1' WHEN 2.5 THEN '2.50' END AS num,
	   CASE WHEN x < 20.5 THEN '[10,20.5)' WHEN x >= 20.5 THEN '[20.5,100]' END AS x,
	   CASE WHEN day < '2020-06-01' THEN '[2020-01-01,2020-06-01)' WHEN day >= '2020-06-01' THEN '[2020-06-01,2021-01-01]' END AS day,
	   CASE WHEN padded = 'x' THEN 'x' END AS padded, CASE WHEN id::text LIKE '%1' THEN id::text END AS id
  FROM source;
CREATE FUNCTION by_hand(counts dp_counts, relation regclass) RETURNS TABLE (columns text[], cell text[], count bigint) LANGUAGE plpgsql AS $$
DECLARE
	s record;
	list text;
BEGIN
	FOR s IN SELECT * FROM dp_catalog.dp_sets(counts) LOOP
		list := (SELECT string_agg(quote_ident(c), ', ') FROM unnest(s.columns) c);
		RETURN QUERY EXECUTE format('SELECT $1, ARRAY[%s]::text[], count(*) FROM %s GROUP BY %s', list, relation, list) USING s.columns;
	END LOOP;
END $$;
-- how many cells differ
CREATE FUNCTION differences(counts dp_counts, relation regclass) RETURNS bigint LANGUAGE sql AS $$
	SELECT count(*) FROM ((SELECT columns, cell, count FROM dp_cells($1) EXCEPT ALL SELECT * FROM by_hand($1, $2))
						  UNION ALL (SELECT * FROM by_hand($1, $2) EXCEPT ALL SELECT columns, cell, count FROM dp_cells($1))) d
$$;

\set columns 'small, flag, n, big, word, mood, num, x, day, padded, id'
CREATE TABLE counted AS SELECT dp_marginals(:'spec', :columns) AS c FROM source;
SELECT count(*), sum(cells) > 400, min(rows), max(rows), bool_or(hashed) FROM counted, dp_catalog.dp_sets(c);
SELECT differences(c, 'coded') FROM counted;
SELECT * FROM dp_cells((SELECT c FROM counted), 1);
SELECT * FROM dp_cells((SELECT c FROM counted)) WHERE columns = '{flag,mood}';

-- hashed sets, triples, one set alone, columns in another order within a set
SELECT dp_marginal_spec(domains => '[{"name": "flag", "categories": ["true", "false"]}, {"name": "n", "levels": 50}, {"name": "small", "levels": 6}]',
						sets => '[["small", "flag"], {"columns": ["n", "small", "flag"], "hashed": true}, ["n"]]') AS triples \gset
CREATE VIEW coded3 AS SELECT flag::text AS flag, n::text AS n, CASE WHEN small BETWEEN 0 AND 5 THEN small::text END AS small FROM source;
SELECT differences(dp_marginals(:'triples', flag, n, small), 'coded3') FROM source;
SELECT set_number, columns, hashed, cells FROM dp_catalog.dp_sets((SELECT dp_marginals(:'triples', flag, n, small) FROM source));
SELECT dp_marginal_spec(domains => '[{"name": "flag", "categories": ["true", "false"]}, {"name": "n", "levels": 50}, {"name": "small", "levels": 6}]',
						sets => '[["small", "flag"], ["n", "small", "flag"], ["n"]]', dense_cells => 0) AS hashed \gset
SELECT set_number, columns, hashed FROM dp_catalog.dp_sets((SELECT dp_marginals(:'hashed', flag, n, small) FROM source));
SELECT differences(dp_marginals(:'hashed', flag, n, small), 'coded3') FROM source;
SELECT count(*), sum(count) FROM dp_cells((SELECT dp_marginals(:'triples', flag, n, small) FROM source), 2);
SELECT array_agg(cell[1]) = ARRAY['0', '1', '2', '3', '4', '5', NULL] FROM dp_cells((SELECT dp_marginals(:'triples', flag, n, small) FROM source), 1) WHERE cell[2] = 'true';

-- the other forms of a row count the same
SELECT dp_marginals(:'spec', ARRAY[small::text, flag::text, n::text, big::text, word, mood::text,
								   CASE num WHEN 0 THEN '0.0' WHEN 1 THEN '1' WHEN 2.5 THEN '2.50' ELSE num::text END,
								   x::text, day::text, rtrim(padded), id::text])::text = c::text FROM source, counted GROUP BY c::text;
SELECT dp_marginals(:'spec', ROW(:columns))::text = (SELECT c::text FROM counted) FROM source;
CREATE TABLE typed AS SELECT flag AS gone, :columns FROM source;
ALTER TABLE typed DROP COLUMN gone;
SELECT dp_marginals(:'spec', ROW(typed.*))::text = (SELECT c::text FROM counted) FROM typed;
SELECT dp_marginal_spec(domains => '[{"name": "n", "levels": 50}, {"name": "small", "categories": [1, -3]}]') AS ints \gset
SELECT dp_marginals(:'ints', ARRAY[n, small]::int[])::text = dp_marginals(:'ints', n, small)::text FROM source;
SELECT dp_marginal_spec(domains => '[{"name": "n", "levels": 50}, {"name": "small", "categories": [1, -3]}]', dense_cells => 0) AS hashed \gset
SELECT dp_marginals(:'hashed', ARRAY[n, small]::int[])::text = dp_marginals(:'hashed', n, small)::text,
	   dp_marginals(:'hashed', ARRAY[n, small]::text[])::text = dp_marginals(:'hashed', n, small)::text FROM source;

-- a collation under which different texts are equal
CREATE TABLE folding (folded text COLLATE anycase CHECK (folded IN ('a', 'b')), other int);
SELECT dp_marginal_spec('folding', ways => 1) AS folding \gset
SELECT cell, count FROM dp_cells((SELECT dp_marginals(:'folding', folded) FROM source));

-- texts that are long, compressed or stored apart, and blanks at the end
CREATE TABLE long (v text, c char(20));
ALTER TABLE long ALTER v SET STORAGE external;
INSERT INTO long SELECT repeat(chr(97 + i % 3), 3000 + i % 3), repeat('x', i % 20) FROM generate_series(1, 40) i;
ALTER TABLE long ALTER v SET STORAGE extended;
INSERT INTO long SELECT repeat(chr(97 + i % 3), 30000), NULL FROM generate_series(1, 30) i;
INSERT INTO long SELECT repeat(chr(97 + i % 3), 15 + i % 5), '' FROM generate_series(1, 100) i;
SELECT dp_marginal_spec(domains => jsonb_build_array(
	jsonb_build_object('name', 'v', 'categories', (SELECT jsonb_agg(DISTINCT v) FROM long WHERE v !~ 'b')),
	jsonb_build_object('name', 'c', 'categories', (SELECT jsonb_agg(DISTINCT c) FROM long WHERE length(c) <> 4))), ways => 1) AS long \gset
CREATE VIEW coded_long AS SELECT CASE WHEN v !~ 'b' THEN v END AS v, CASE WHEN length(c) <> 4 THEN c::text END AS c FROM long;
SELECT count(DISTINCT cell) > 25, sum(count) FROM dp_cells((SELECT dp_marginals(:'long', v, c) FROM long));
SELECT count(*) FROM ((SELECT cell[1], count FROM dp_cells((SELECT dp_marginals(:'long', v, c) FROM long), 1) EXCEPT SELECT v, count(*) FROM coded_long GROUP BY v)
					  UNION ALL (SELECT rtrim(cell[1]), count FROM dp_cells((SELECT dp_marginals(:'long', v, c) FROM long), 2) EXCEPT SELECT rtrim(c), count(*) FROM coded_long GROUP BY c)) d;

-- groups, no rows, NULL states, FILTER, DISTINCT order, few and many rows
SELECT flag, g.count = max(s.rows) FROM (SELECT flag, count(*), dp_marginals(:'ints', n, small) AS c FROM source GROUP BY flag) g, dp_catalog.dp_sets(c) s GROUP BY flag, g.count ORDER BY flag;
SELECT dp_marginals(:'ints', n, small) FROM source WHERE false;
SELECT dp_merge(NULL::dp_counts), (SELECT count(*) FROM dp_cells(NULL)), (SELECT count(*) FROM dp_catalog.dp_sets(NULL));
SELECT rows FROM (SELECT dp_marginals(:'ints', n, small) FILTER (WHERE flag) AS c FROM source) f, dp_catalog.dp_sets(c);
SELECT dp_marginals(:'ints', n, small ORDER BY k DESC)::text = dp_marginals(:'ints', n, small)::text FROM source;
SELECT bool_and(c::text = again::text) FROM (SELECT k / 700 AS g, dp_marginals(:'ints', n, small) AS c FROM source GROUP BY 1) a
  JOIN (SELECT g, dp_merge(c) AS again FROM (SELECT k / 700 AS g, dp_marginals(:'ints', n, small) AS c FROM source GROUP BY 1, k % 3) p GROUP BY g) b USING (g);

-- merging: any parts in any order, stored or not
CREATE TABLE parts AS SELECT k % 5 AS part, dp_marginals(:'spec', :columns) AS c FROM source GROUP BY 1;
SELECT dp_merge(c ORDER BY part)::text = dp_merge(c ORDER BY part DESC)::text, dp_merge(c)::text = (SELECT c::text FROM counted) FROM parts;
SELECT dp_merge(c)::text = (SELECT c::text FROM counted) FROM (SELECT dp_marginals(:'spec', :columns) AS c FROM source GROUP BY k % 5) p;
SELECT dp_catalog.dp_counts_combine(a.c, dp_catalog.dp_counts_combine(b.c, c.c))::text = dp_catalog.dp_counts_combine(dp_catalog.dp_counts_combine(c.c, a.c), b.c)::text
  FROM parts a, parts b, parts c WHERE (a.part, b.part, c.part) = (0, 1, 2);
SELECT differences(dp_merge(c), 'coded') FROM parts;

-- partitions and parallel plans
CREATE TABLE split (LIKE source) PARTITION BY HASH (k);
CREATE TABLE split_0 PARTITION OF split FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE split_1 PARTITION OF split FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE split_2 PARTITION OF split FOR VALUES WITH (MODULUS 3, REMAINDER 2);
INSERT INTO split SELECT * FROM source;
ANALYZE split;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 3;
CREATE FUNCTION steps(statement text) RETURNS TABLE (step text) LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || statement LOOP
		step := substring(line FROM '(Finalize Aggregate|Partial Aggregate|Parallel Append|Gather)');
		IF step IS NOT NULL THEN
			RETURN NEXT;
		END IF;
	END LOOP;
END $$;
SELECT steps(format('SELECT dp_marginals(%L, n, small) FROM source', :'ints'));
SELECT steps(format('SELECT dp_marginals(%L, n, small) FROM split', :'ints'));
SELECT dp_marginals(:'spec', :columns)::text = (SELECT c::text FROM counted) FROM source;
SELECT dp_marginals(:'spec', :columns)::text = (SELECT c::text FROM counted) FROM split;
SET parallel_leader_participation = off;
SELECT dp_marginals(:'spec', :columns)::text = (SELECT c::text FROM counted) FROM source;
SELECT dp_marginals(:'spec', ROW(:columns))::text = (SELECT c::text FROM counted) FROM split;
RESET parallel_leader_participation;
SELECT bool_and(dp.c::text = p.c::text) FROM (SELECT k % 5 AS part, dp_marginals(:'spec', :columns) AS c FROM split GROUP BY 1) dp JOIN parts p USING (part);
SELECT dp_merge(c)::text = (SELECT c::text FROM counted) FROM (SELECT dp_marginals(:'spec', :columns) AS c FROM split GROUP BY tableoid) p;
SELECT dp_merge(c)::text = (SELECT c::text FROM counted) FROM parts;
SELECT dp_marginals((SELECT dp_marginal_spec(domains => '[{"name": "n", "levels": 50}, {"name": "small", "categories": [1, -3]}]')), n, small)::text
	   = dp_marginals(:'ints', n, small)::text FROM source;
RESET max_parallel_workers_per_gather;

-- the way of Citus: a new call for each row, and the state as text
CREATE FUNCTION move(state text, spec bytea, columns text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	moved text;
BEGIN
	EXECUTE 'SELECT dp_catalog.dp_marginals_transition($1::public.dp_counts, $2, $3)::text' INTO moved USING state, spec, columns;
	RETURN moved;
END $$;
CREATE FUNCTION move_ints(state text, spec bytea, columns int[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	moved text;
BEGIN
	EXECUTE 'SELECT dp_catalog.dp_marginals_transition($1::public.dp_counts, $2, $3)::text' INTO moved USING state, spec, columns;
	RETURN moved;
END $$;
CREATE AGGREGATE moved(bytea, text[]) (SFUNC = move, STYPE = text);
CREATE AGGREGATE moved(bytea, int[]) (SFUNC = move_ints, STYPE = text);
SELECT moved(:'ints', ARRAY[n, small]::text[]) = dp_marginals(:'ints', n, small)::text,
	   moved(:'ints', ARRAY[n, small]::int[]) = dp_marginals(:'ints', n, small)::text FROM source WHERE k < 700;

-- text forms that mean the same value
CREATE TABLE meant (flag boolean NOT NULL, amount numeric, day date);
INSERT INTO meant VALUES (true, 1.00, '2020-01-02'), (true, 1.0, '2020-01-02'), (false, 2, '2020-01-03');
SELECT dp_marginal_spec(domains => '[{"name": "flag", "type": "boolean", "categories": ["f", "t"]}, {"name": "amount", "type": "numeric", "categories": ["1.0"], "other": true},
	{"name": "day", "type": "date", "categories": ["2020-01-02"], "other": true}]', ways => 1) AS meant \gset
SET DateStyle = german;
SELECT dp_marginals(:'meant', ARRAY[flag::text, amount::text, day::text])::text = dp_marginals(:'meant', flag, amount, day)::text FROM meant;
SELECT set_number, cell, count FROM (SELECT dp_marginals(:'meant', ARRAY[flag, amount, day]::text[]) AS c FROM meant) x, dp_cells(c) ORDER BY 1, 2;
RESET DateStyle;

-- a spec of a relation: declared and known domains, and who may ask
CREATE ROLE regress_dp_20_owner;
CREATE ROLE regress_dp_20_other;
GRANT USAGE, CREATE ON SCHEMA t20 TO public;
SET ROLE regress_dp_20_owner;
CREATE TABLE mine (sex text NOT NULL CHECK (sex IN ('f', 'm')), age int, note text, smoker boolean, town text);
INSERT INTO mine SELECT CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END, i % 70, 'n', i % 3 = 0, 'x' FROM generate_series(1, 1000) i;
SELECT dp_protect('mine', 10);
SELECT dp_define_column('mine', 'age', bins => '{0,18,65,100}');
SELECT dp_define_column('mine', 'town', open => true);
SELECT dp_catalog.dp_marginal_columns(dp_marginal_spec('mine')), dp_catalog.dp_marginal_columns(dp_marginal_spec('mine', columns => '{smoker,sex}'));
SELECT columns, hashed, cells FROM dp_catalog.dp_sets((SELECT dp_marginals(dp_marginal_spec('mine', ways => 3, dense_cells => 10), sex, age, smoker) FROM mine LIMIT 1));
SELECT * FROM dp_cells((SELECT dp_marginals((SELECT dp_marginal_spec('mine', ways => 1)), sex, age, smoker) FROM mine));
SELECT set_number, columns FROM dp_catalog.dp_sets((SELECT dp_marginals((SELECT dp_marginal_spec('mine', '[["age", "sex"]]', columns => '{age,sex}')), age, sex) FROM mine));
SET ROLE regress_dp_20_other;
SELECT dp_marginal_spec('mine');
RESET ROLE;
SELECT dp_grant('mine', 'regress_dp_20_other', 1);
SET ROLE regress_dp_20_other;
SELECT dp_catalog.dp_marginal_columns(dp_marginal_spec('mine'));
-- a grant gives no right to the rows
SELECT dp_marginals(dp_marginal_spec('mine'), sex, age, smoker) FROM mine;
RESET ROLE;
DROP SCHEMA t20 CASCADE;
DROP ROLE regress_dp_20_owner, regress_dp_20_other;
