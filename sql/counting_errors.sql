-- What dp_marginals and the like refuse, and that corrupt counts are refused without harm. No
-- message tells a value of a row.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t21;
SET search_path = t21, public;
CREATE TABLE t AS SELECT (i % 3)::smallint AS a, chr(97 + i % 4) AS b FROM generate_series(1, 2000) i;
SELECT dp_marginal_spec(domains => '[{"name": "a", "levels": 3, "type": "smallint"}, {"name": "b", "categories": ["a", "b", "c", "d"], "type": "text"}]') AS spec \gset
SELECT dp_marginal_spec(domains => '[{"name": "a", "levels": 4}, {"name": "b", "categories": ["a", "b", "c", "d"]}]') AS other \gset
SELECT dp_marginal_spec(domains => '[{"name": "a", "levels": 3}, {"name": "b", "levels": 2}]') AS ints \gset

-- it is no window aggregate
SELECT dp_marginals(:'spec', a, b) OVER () FROM t;
SELECT dp_merge(c) OVER () FROM (SELECT dp_marginals(:'spec', a, b) AS c FROM t) s;

-- specs: of different kinds, changing, none
SELECT dp_merge(c) FROM (SELECT dp_marginals(:'spec', a, b) AS c FROM t UNION ALL SELECT dp_marginals(:'other', a, b) FROM t) s;
SELECT dp_catalog.dp_counts_combine((SELECT dp_marginals(:'spec', a, b) FROM t)::text::dp_counts, (SELECT dp_marginals(:'other', a, b) FROM t)::text::dp_counts);
SELECT dp_marginals(CASE WHEN b = 'c' THEN :'other'::bytea ELSE :'spec' END, a, b) FROM t;
SELECT dp_marginals(NULL, a, b) FROM t;
SELECT dp_marginals('\x0102', a, b) FROM t;
SELECT dp_marginals(set_byte(:'spec', 20, 7), a, b) FROM t;
SELECT dp_catalog.dp_marginals_transition(dp_marginals(:'other', a, b), :'spec', 1, 'a') FROM t;
-- a state that was made for values of other types is not read with their encoder
SELECT dp_marginal_spec(domains => '[{"name": "x", "categories": ["1", "2"], "other": true}]', ways => 1) AS loose \gset
SELECT dp_catalog.dp_sets(dp_catalog.dp_marginals_transition(dp_catalog.dp_marginals_transition(NULL, :'loose', a::text), :'loose', 123456789::bigint)) FROM t LIMIT 1;
SELECT dp_marginal_spec(domains => NULL);
SELECT dp_marginal_spec(domains => '[{"name": "x", "categories": ["1"]}]', ways => NULL);
SELECT dp_marginal_spec(NULL);

-- columns: too few, too many, of other types, null rows
SELECT dp_marginals(:'spec', a) FROM t;
SELECT dp_marginals(:'spec', a, b, a) FROM t;
SELECT dp_marginals(:'spec', b, a) FROM t;
SELECT dp_marginals(:'spec', ARRAY[a]::text[]) FROM t;
SELECT dp_marginals(:'ints', ARRAY[[a, 1]]::int[]) FROM t;
SELECT dp_marginals(:'spec', NULL::text[]) FROM t;
SELECT dp_marginals(:'spec', NULL::int[]) FROM t;
SELECT dp_marginals(:'spec', NULL::record) FROM t;
SELECT dp_marginals(:'spec', ROW(a)) FROM t;
SELECT dp_marginals(:'spec', ROW(b, a)) FROM t;
SELECT dp_marginals(:'spec', ARRAY[a, 1]::int[]) FROM t; -- a label that is no integer
SELECT dp_marginals(:'ints', '{}'::int[]) FROM t;
SELECT dp_marginals(:'ints', ARRAY[a, 1, NULL]::int[]) FROM t;

-- specs by hand
SELECT dp_marginal_spec('t', domains => '[{"name": "a", "levels": 2}]');
SELECT dp_marginal_spec(columns => '{a}', domains => '[{"name": "a", "levels": 2}]');
SELECT dp_marginal_spec(domains => '{}');
SELECT dp_marginal_spec(domains => '7');
SELECT dp_marginal_spec(domains => '[]');
SELECT dp_marginal_spec(domains => '[7]');
SELECT dp_marginal_spec(domains => '[{"categories": ["a"]}]');
SELECT dp_marginal_spec(domains => '[{"name": "a"}]');
SELECT dp_marginal_spec(domains => '[{"name": "a", "levels": 2, "bins": [1, 2]}]');
SELECT dp_marginal_spec(domains => '[{"name": "a", "label": 2}]');
SELECT dp_marginal_spec(domains => '[{"name": "a", "levels": 0}]');
SELECT dp_marginal_spec(domains => '[{"name": "a", "levels": 2.5}]');
SELECT dp_marginal_spec(domains => '[{"name": "a", "levels": 100000000}]');
SELECT dp_marginal_spec(domains => '[{"name": "a", "categories": "a"}]');
SELECT dp_marginal_spec(domains => '[{"name": "a", "categories": [["a"]]}]');
SELECT dp_marginal_spec(domains => '[{"name": "a", "bins": [1, 2]}]');
SELECT dp_marginal_spec(domains => '[{"name": "a", "bins": [1, 2], "type": "text"}]');
SELECT dp_marginal_spec(domains => '[{"name": "a", "bins": [2, 1], "type": "integer"}]');
SELECT dp_marginal_spec(domains => '[{"name": "a", "bins": [1], "type": "integer"}]');
SELECT dp_marginal_spec(domains => '[{"name": "a", "bins": ["x", 1], "type": "integer"}]');
SELECT dp_marginal_spec(domains => '[{"name": "a", "categories": [], "other": false}]');
SELECT dp_marginal_spec(domains => '[{"name": "a", "levels": 2}, {"name": "a", "levels": 2}]');
SELECT dp_marginal_spec(domains => '[{"name": "a", "levels": 2}]'); -- two ways of one column
SELECT dp_marginal_spec(domains => '[{"name": "a", "levels": 2}]', sets => '[]');
SELECT dp_marginal_spec(domains => '[{"name": "a", "levels": 2}]', sets => '["a"]');
SELECT dp_marginal_spec(domains => '[{"name": "a", "levels": 2}]', sets => '[["b"]]');
SELECT dp_marginal_spec(domains => '[{"name": "a", "levels": 2}]', sets => '[["a", "a"]]');
SELECT dp_marginal_spec(domains => '[{"name": "a", "levels": 2}]', sets => '[[]]');
SELECT dp_marginal_spec(domains => '[{"name": "a", "levels": 2}]', sets => '[{"columns": ["a"], "hashed": 1}]');
SELECT dp_marginal_spec(domains => '[{"name": "a", "levels": 2}]', sets => '[{"hashed": true}]');
SELECT dp_marginal_spec(domains => '[{"name": "a", "levels": 2}]', ways => 9);
SELECT dp_marginal_spec(domains => '[{"name": "a", "levels": 2}]', ways => 1, dense_cells => -1);
SELECT dp_marginal_spec(domains => '[{"name": "a", "levels": 9000000}, {"name": "b", "levels": 9000000}]', sets => '[{"columns": ["a", "b"], "hashed": false}]');
SELECT dp_marginal_spec(domains => (SELECT jsonb_agg(jsonb_build_object('name', 'c' || i, 'levels', 2)) FROM generate_series(1, 300) i), ways => 4);
-- specs of a relation
SELECT dp_marginal_spec('t');
CREATE TABLE u (f boolean, n int);
SELECT dp_marginal_spec('u', columns => '{n}');
SELECT dp_marginal_spec('u', columns => '{NULL}');
SELECT dp_marginal_spec('u', ways => 2);
SELECT dp_marginal_spec('u', '[["n"]]');

-- memory: the bound of a hash table, or its own; the set is named
SELECT dp_marginal_spec(domains => '[{"name": "small", "levels": 10}, {"name": "large", "levels": 3000}, {"name": "larger", "levels": 2000}]',
							 dense_cells => 100000000) AS large \gset
SET work_mem = '1MB';
SET hash_mem_multiplier = 2;
SELECT dp_marginals(:'large', 1, 2, 3);
SELECT dp_marginals(:'large', ARRAY[1, 2, 3]);
SET dpsyn.counting_memory = '100MB';
SELECT rows FROM (SELECT dp_marginals(:'large', 1, 2, 3) AS c) s, dp_catalog.dp_sets(c) WHERE set_number = 1;
SELECT dp_cells((SELECT dp_marginals(:'large', 1, 2, 3))::text::dp_counts, 3);
SET dpsyn.counting_memory = '1MB';
SELECT dp_marginal_spec(domains => '[{"name": "small", "levels": 10}, {"name": "large", "levels": 3000}, {"name": "larger", "levels": 2000}]',
						dense_cells => 0) AS hashed \gset
SELECT dp_marginals(:'hashed', i % 10, i % 3000, i / 7 % 2000) FROM generate_series(1, 200000) i;
SELECT count(*) FROM (SELECT dp_marginals(:'hashed', i % 10, i % 3000, i % 2000) AS c FROM generate_series(1, 20) i) s, dp_cells(c);
RESET dpsyn.counting_memory;
RESET work_mem;

-- sets that are not there
SELECT dp_cells((SELECT dp_marginals(:'spec', a, b) FROM t), 0);
SELECT dp_cells((SELECT dp_marginals(:'spec', a, b) FROM t), 2);

-- text and binary forms: what was written is read, all else is refused
CREATE TABLE kept AS SELECT dp_marginals(:'spec', a, b) AS c FROM t;
SELECT c::text::dp_counts::text = c::text, encode(dp_catalog.dp_counts_send(c), 'hex') = substr(c::text, 3) FROM kept;
SELECT ''::dp_counts;
SELECT 'x'::dp_counts;
SELECT '\x'::dp_counts;
SELECT '\x01'::dp_counts;
SELECT '\x0g'::dp_counts;
CREATE FUNCTION reads(counts text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM counts::public.dp_counts;
	RETURN 'read';
EXCEPTION WHEN data_corrupted THEN
	RETURN 'corrupt';
END $$;
-- bytes that are cut anywhere, or changed one by one, are refused, or are other valid counts
SELECT reads(substr(c::text, 1, 2 * i)), count(*) > 0 FROM kept, generate_series(2, length(c::text) / 2 - 1) i GROUP BY 1;
SELECT reads('\x' || encode(set_byte(b, i, (get_byte(b, i) + d) % 256), 'hex')), count(*) > 0
  FROM kept, LATERAL (SELECT substr(c::text, 3) AS h) s, LATERAL (SELECT decode(h, 'hex') AS b) t, generate_series(0, length(b) - 1) i, unnest('{1,127,128,255}'::int[]) d
 WHERE i < 130 GROUP BY 1 ORDER BY 1;
SELECT reads(c::text || '00') FROM kept;

-- bytes that hold together, with a text that is none in this encoding: a name, a level
SELECT dp_catalog.dp_marginal_columns('\x010001020161030130013101320001000100d2d59ad14f3e5984');
SELECT dp_catalog.dp_marginal_columns('\x0100010201f0030130013101320001000100cd0ebe2f911f4b40');
SELECT dp_marginals('\x01000102016103013001c301320001000100dce7e960a01d6141', i) FROM generate_series(1, 3) i;
SELECT replace((SELECT dp_marginals('\x010001020161030130013101320001000100d2d59ad14f3e5984', i) FROM generate_series(0, 2) i)::text,
	'010001020161030130013101320001000100d2d59ad14f3e5984', '01000102016103013001c301320001000100dce7e960a01d6141')::dp_counts;
-- a name that an error cuts is cut between characters
SELECT dp_marginal_spec(domains => format('[{"name": "a%1$s", "levels": 2}, {"name": "b", "levels": 2}]', repeat('ä', 100))::jsonb, sets => format('[["a%1$s", "a%1$s"]]', repeat('ä', 100))::jsonb);

-- millions of levels take their time, and answer to statement_timeout meanwhile
CREATE TABLE begun AS SELECT clock_timestamp() AS at;
SET statement_timeout = '200ms';
SELECT dp_marginal_spec(domains => '[{"name": "a", "levels": 9999999}, {"name": "b", "levels": 9999999}, {"name": "c", "levels": 9999999}]', ways => 1);
RESET statement_timeout;
SELECT clock_timestamp() < at + '4 s' AS soon FROM begun;
-- rows of units as bytes: what says which is checked, whoever wrote it
CREATE FUNCTION pg_temp.spec(keys text, parts text, kind text, argument text, first_last_step text DEFAULT repeat('00', 24)) RETURNS bytea LANGUAGE sql AS $$
	SELECT decode(keys || '0000000000001000' || parts || '00000001' || kind || '01' || argument || '00' || first_last_step || '00000000', 'hex') $$;
SELECT length(dp_catalog.dp_row_cache(pg_temp.spec('00000001', '00000001', '02', '00000001'), i % 3, nullif(i, 7))) FROM generate_series(1, 10) i;
SELECT dp_catalog.dp_row_cache(pg_temp.spec('00000001', '00000001', '02', '00000001'), NULL::integer, 1) = dp_catalog.dp_row_cache(pg_temp.spec('00000001', '00000001', '02', '00000001'), NULL::integer, 2) AS of_nobody;
SELECT get_byte(dp_catalog.dp_row_cache(pg_temp.spec('00000001', '00000001', '02', '00000001'), i % 300, i), 0) AS too_many FROM generate_series(1, 1000) i;
SELECT dp_catalog.dp_row_cache(NULL, 1);
SELECT dp_catalog.dp_row_cache('\x00', 1);
SELECT dp_catalog.dp_row_cache(pg_temp.spec('00000003', '00000001', '02', '00000001'), 1, 2);
SELECT dp_catalog.dp_row_cache(pg_temp.spec('00000001', '00000000', '02', '00000001'), 1, 2);
SELECT dp_catalog.dp_row_cache(pg_temp.spec('00000001', '00000001', '07', '00000001'), 1, 2);
SELECT dp_catalog.dp_row_cache(pg_temp.spec('00000001', '00000001', '02', '00000009'), 1, 2);
SELECT dp_catalog.dp_row_cache(pg_temp.spec('00000001', '00000001', '00', '00000001'), 1, 2);
SELECT dp_catalog.dp_row_cache(pg_temp.spec('00000001', '00000001', '01', '00000001'), 1, 2);
SELECT dp_catalog.dp_row_cache(pg_temp.spec('00000001', '00000001', '01', '00000001', '000000000000000000000000000000090000000000000001'), 1, 'five'::text);
SELECT dp_catalog.dp_row_cache(pg_temp.spec('00000001', '00000001', '02', '00000001'), B'1', 2);
SELECT dp_catalog.dp_row_cache(pg_temp.spec('00000001', '00000001', '02', '00000001'), 1, 2) OVER ();
SELECT get_byte(dp_catalog.dp_row_cache(pg_temp.spec('00000001', '00000001', '01', '00000001', '000000000000000000000000000000090000000000000001'), 1, 5), 4) AS bytes_of_a_row;
DROP SCHEMA t21 CASCADE;
