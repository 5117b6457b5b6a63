-- The filter of dp_query is a condition on codes, in the statement that reads rows: whatever type a column
-- has, wherever it is read, and whatever words a level is. At this epsilon no noise is left.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA query_by_code;
SET search_path = query_by_code, public;
SET client_min_messages = error;
CREATE TYPE size AS ENUM ('small', 'large');
CREATE DOMAIN short_text AS text;
CREATE TABLE people (id integer PRIMARY KEY, born date NOT NULL, "a ""name" text NOT NULL);
CREATE TABLE stays (person integer NOT NULL REFERENCES people, number integer NOT NULL, price money, at timetz, took interval, size size, word short_text, code char(4), mark uuid,
	bits bit(2), note jsonb, admitted date NOT NULL, discharged date);
INSERT INTO people SELECT i, date '2000-01-01' + i % 90, CASE i % 3 WHEN 0 THEN 'it''s' WHEN 1 THEN E'a\\b' ELSE 'x'') OR (''1''=''1' END FROM generate_series(1, 300) i;
INSERT INTO stays SELECT 1 + i % 300, i / 300, (i % 50)::numeric::money, CASE WHEN i % 6 > 0 THEN timetz '10:00+02' + i % 7 * interval '1 hour' END, i % 40 * interval '1 hour', (ARRAY['small', 'large'])[1 + i % 2]::size,
		(ARRAY['one', 'two', 'it''s'])[1 + i % 3], (ARRAY['a', 'b'])[1 + i / 2 % 2], md5((i % 4)::text)::uuid, (i % 4)::bit(2), jsonb_build_object('plan', (ARRAY['gold', 'no'])[1 + i % 2], 'age', i % 30),
		date '2020-01-01' + i % 60, CASE WHEN i % 9 > 0 THEN date '2020-01-01' + i % 60 + i % 15 END
  FROM generate_series(0, 2999) i;
SELECT dp_protect('people', 1000000);
SELECT dp_protect('stays', parent => 'people', max_rows_per_unit => 10);
SELECT dp_define_column('people', 'born', range => '{2000-01-01,2000-12-31}'), dp_define_column('people', 'a "name', categories => ARRAY['it''s', E'a\\b', 'x'') OR (''1''=''1']);
SELECT dp_define_column('stays', 'number', range => '{0,9}'), dp_define_column('stays', 'at', range => '{08:00+00,20:00+00}'),
	   dp_define_column('stays', 'took', range => '{0,48:00}'), dp_define_column('stays', 'word', categories => ARRAY['one', 'it''s']), dp_define_column('stays', 'code', categories => '{a,b}'),
	   dp_define_column('stays', 'mark', categories => (SELECT array_agg(DISTINCT mark::text) FROM stays)), dp_define_column('stays', 'bits', categories => '{00,01,10}'),
	   dp_define_column('stays', 'note->>''plan''', categories => '{gold,basic}'), dp_define_column('stays', '(note->>''age'')::int', range => '{0,29}', resolution => '1'), dp_define_column('stays', 'admitted', range => '{2020-01-01,2020-12-31}'), dp_define_column('stays', 'discharged', offset_of => 'admitted', bins => '{0,5,10,15}');
CREATE TABLE filter (id serial, filter jsonb, condition text);
INSERT INTO filter (filter, condition) VALUES ('{"price": [10, 20]}', 'price >= 10::money AND price < 20::money'), ('{"at": ["09:00+00", "11:00+00"]}', 'at AT TIME ZONE ''UTC'' >= ''09:00+00'' AND at AT TIME ZONE ''UTC'' < ''11:00+00'''),
	('{"at": null}', 'at IS NULL'), ('{"took": ["10:00", "1 day"]}', 'took >= ''10:00'' AND took < ''1 day'''), ('{"size": "large"}', 'size = ''large'''), ('{"word": "it''s"}', 'word = ''it''''s'''), ('{"word": null}', 'word = ''two'''),
	('{"code": "a   "}', 'code = ''a'''), ('{"mark": ["cfcd2084-95d5-65ef-66e7-dff9f98764da", "c4ca4238-a0b9-2382-0dcc-509a6f75849b"]}', 'mark IN (md5(''0'')::uuid, md5(''1'')::uuid)'), ('{"bits": ["00", null]}', 'bits IN (B''00'', B''11'')'),
	('{"note->>''plan''": "gold"}', 'note->>''plan'' = ''gold'''), ('{"note->>''age''": [3, 7]}', '(note->>''age'')::integer BETWEEN 3 AND 6'), ('{"discharged": [5, 10], "admitted": [null, "2020-02-01"]}', 'admitted < ''2020-02-01'' AND discharged - admitted BETWEEN 5 AND 9'),
	('{"discharged": null, "size": "small", "admitted": ["2020-01-01", null]}', 'discharged IS NULL AND size = ''small'''), ('{"people.born": [null, "2000-01-15"]}', 'born < ''2000-01-15'''), ('{"people.a \"name": "it''s", "number": [2, 5]}', '"a ""name" = ''it''''s'' AND number BETWEEN 2 AND 4'),
	('{"people.a \"name": ["a\\b", "x'') OR (''1''=''1"], "size": "small"}', '"a ""name" <> ''it''''s'' AND size = ''small''');
CREATE FUNCTION by_query(filter jsonb) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT round(estimate) FROM dp_query('stays', '{count(*)}', 1000, filter => by_query.filter, max_rows_per_unit => 10));
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE VIEW compared AS SELECT f.id, f.filter, by_query(f.filter) AS query,
	(xpath('/row/n/text()', query_to_xml('SELECT count(*) AS n FROM query_by_code.stays JOIN query_by_code.people p ON p.id = person WHERE ' || f.condition, true, true, '')))[1]::text AS rows FROM filter f;
SELECT filter, query, rows FROM compared WHERE query IS DISTINCT FROM rows ORDER BY id;
SELECT count(*), min(rows::integer) > 0 FROM compared;

-- rows are bounded after the filter, also where they do not fit in memory: each person has one row that passes
ALTER DATABASE :DBNAME SET dpsyn.row_memory = 0;
\c -
SET search_path = query_by_code, public;
SET client_min_messages = error;
SELECT number, round(q.estimate) FROM unnest('{3,4}'::int[]) number,
	dp_query('stays', '{count(*)}', 1000, filter => jsonb_build_object('number', jsonb_build_array(number, number + 1)), max_rows_per_unit => 1) q;
SELECT count(DISTINCT person) FROM stays WHERE number = 3;
SELECT filter, query, rows FROM compared WHERE query IS DISTINCT FROM rows ORDER BY id;
ALTER DATABASE :DBNAME RESET dpsyn.row_memory;
\c -
SET search_path = query_by_code, public;
SET client_min_messages = error;

-- what is measured lies where the filter says, so that its noise is that of the range there: 10 by 1 a row beside 10 by 9
SELECT filter, round(half_width) FROM unnest(ARRAY['{"number": [8, null]}', '{"size": "small"}']::jsonb[]) filter,
	dp_explain('stays', 'query', 1, options => jsonb_build_object('measures', '["avg(number)"]'::jsonb, 'filter', filter, 'max_rows_per_unit', 10)) WHERE half_width IS NOT NULL;
SELECT measure, round(q.estimate::numeric, 2) FROM dp_query('stays', '{avg(number),sum(number),"quantile(number, 0.01)",count(number)}', 1000, filter => '{"number": [3, 6]}', max_rows_per_unit => 10) q;
SELECT round(avg(number), 2), sum(number), count(*) FROM stays WHERE number BETWEEN 3 AND 5;
-- bins of a group are found where rows pass
SELECT count(*) > 1 FROM dp_query('people', '{count(*)}', 1000, by => '{born}', filter => '{"born": ["2000-01-01", "2000-02-01"]}') q WHERE round(q.estimate) > 0;

-- the function itself: what is no condition is refused, whoever wrote it; 0 is a missing value, and 1 the first of the grid
CREATE FUNCTION pg_temp.spec(columns text, kind text, argument text, grid text) RETURNS bytea LANGUAGE sql AS $$
	SELECT decode('000000000000000000001000' || '00000001' || columns || kind || '01' || argument || '00' || grid || '00000000', 'hex') $$;
CREATE FUNCTION pg_temp.grid(first text, last text) RETURNS text LANGUAGE sql AS $$ SELECT lpad(first, 16, '0') || lpad(last, 16, '0') || '0000000000000001' $$;
SELECT i, dp_catalog.dp_row_passes('{0,0,4,6,10,10}', pg_temp.spec('00000001', '01', '00000000', pg_temp.grid('0', '9')), i) FROM unnest('{2,3,5,6,99,NULL}'::int[]) i;
SELECT dp_catalog.dp_row_passes('{}', pg_temp.spec('00000001', '01', '00000000', pg_temp.grid('0', '9')), 4), dp_catalog.dp_row_passes('{5}', pg_temp.spec('00000001', '01', '00000000', pg_temp.grid('0', '9')), 4),
	dp_catalog.dp_row_passes('{5,5}', pg_temp.spec('00000001', '01', '00000000', pg_temp.grid('0', '9')), 4), dp_catalog.dp_row_passes('{5,4}', pg_temp.spec('00000001', '01', '00000000', pg_temp.grid('0', '9')), 4);
SELECT dp_catalog.dp_row_passes(NULL, '\x', 1);
SELECT dp_catalog.dp_row_passes('{1,1}', NULL, 1);
SELECT dp_catalog.dp_row_passes('{1,1}', '\x00', 1);
SELECT dp_catalog.dp_row_passes('{1,NULL}', pg_temp.spec('00000001', '01', '00000000', pg_temp.grid('0', '9')), 1);
SELECT dp_catalog.dp_row_passes('{1,1}', pg_temp.spec('00000001', '01', '00000001', pg_temp.grid('0', '9')), 1);
SELECT dp_catalog.dp_row_passes('{1,1}', pg_temp.spec('00000001', '01', '00000000', pg_temp.grid('9', '0')), 1);
SELECT dp_catalog.dp_row_passes('{1,1}', pg_temp.spec('00000001', '01', '00000000', pg_temp.grid('0', '9')), 'x'::text);
SELECT dp_catalog.dp_row_passes('{1,1}', pg_temp.spec('00000001', '03', '00000000', pg_temp.grid('0', '9')), 1);
SELECT dp_catalog.dp_row_passes('{1,1}', pg_temp.spec('00000001', '00', '00000000', pg_temp.grid('0', '9')), 1);
DROP SCHEMA query_by_code CASCADE;
