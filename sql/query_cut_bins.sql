-- answers that know what they do not know: bins that a condition cuts, and domains of one value
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t_cut;
SET search_path = t_cut, public;
SET client_min_messages = error;
-- thirty Sundays, a hundred rows each, and a number that is the same in each row
CREATE TABLE sundays (d date NOT NULL, k text NOT NULL CHECK (k IN ('a', 'b')), n int NOT NULL CHECK (n BETWEEN 0 AND 100000), g int NOT NULL);
INSERT INTO sundays SELECT date '2024-01-07' + 7 * (i % 30), CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END, 7777, i % 100 FROM generate_series(1, 3000) i;
SELECT dp_protect('sundays', 1000000, 1e-3);
SELECT dp_define_column('sundays', 'd', range => '{2024-01-01,2024-12-31}'), dp_define_column('sundays', 'g', bins => '{0,50,100}');
-- the interval holds the truth, whatever the method measures
CREATE FUNCTION held(release bigint, by name[], filter jsonb, measure text) RETURNS TABLE (cell jsonb, held boolean) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format($q$
		SELECT a.cell, a.low <= t.true + 0.01 AND a.high >= t.true - 0.01
		  FROM dp_answer(%s, %L, %L, measure => %L) a,
		  LATERAL (SELECT count(*) FILTER (WHERE meets)::float8 / CASE %4$L WHEN 'count' THEN 1 WHEN 'share' THEN 3000 ELSE nullif(count(*) FILTER (WHERE given), 0) END AS true
		    FROM (SELECT given, given AND (a.cell = '{}' OR a.cell ->> 'k' = k) AS meets
			        FROM (SELECT k, (%3$L::jsonb -> 'd' IS NULL OR d >= (%3$L::jsonb -> 'd' ->> 0)::date AND d < (%3$L::jsonb -> 'd' ->> 1)::date)
						AND (%3$L::jsonb -> 'n' IS NULL OR n >= (%3$L::jsonb -> 'n' ->> 0)::int AND n < (%3$L::jsonb -> 'n' ->> 1)::int)
						AND (%3$L::jsonb -> 'g' IS NULL OR g >= (%3$L::jsonb -> 'g' ->> 0)::int AND g < (%3$L::jsonb -> 'g' ->> 1)::int) AS given FROM sundays) r) m) t$q$, release, by, filter, measure);
END $$;
SELECT m, by, filter, measure, h.cell, h.held
  FROM unnest('{mst,aim,flat,privbayes,sbhg}'::text[]) m, LATERAL dp_release('sundays', m, 1000, CASE WHEN m IN ('mst', 'aim', 'sbhg') THEN 1e-9 ELSE 0 END) r,
	unnest('{count,share,rate}'::text[]) measure, (VALUES ('{}'::name[]), ('{k}')) b(by),
	unnest(ARRAY['{"d": ["2024-01-07", "2024-01-08"]}', '{"d": ["2024-01-08", "2024-01-14"]}', '{"n": [7777, 7778]}', '{"n": [0, 7777]}', '{"d": ["2024-01-07", "2024-03-02"], "n": [0, 50000]}',
		'{"g": [0, 20]}', '{"g": [10, 60]}']::jsonb[]) filter, LATERAL held(r, by, filter, measure) h WHERE NOT h.held;
-- where no bin is cut it is as narrow as the noise
SELECT dp_release('sundays', 'flat', 1000) AS r \gset
SELECT high - low < 100 FROM dp_answer(:r, '{}', '{"g": [0, 50]}');
SELECT low < 10, high > 1490, basis FROM dp_answer(:r, '{}', '{"g": [0, 20]}');
SELECT basis FROM dp_answer(:r, '{k}', '{"g": [0, 20]}', measure => 'rate') LIMIT 1;
-- a bin that misses one of very many values is cut, too; bins of integers are cut where they say
CREATE TABLE vast (v bigint NOT NULL, w bigint NOT NULL, k text NOT NULL CHECK (k IN ('a', 'b')));
INSERT INTO vast SELECT CASE WHEN i % 10 = 0 THEN 0 ELSE 8999999999999999999 END, 4000000000000000001, 'a' FROM generate_series(1, 3000) i;
SELECT dp_protect('vast', 1000000, 1e-3);
SELECT dp_define_column('vast', 'v', range => '{0,9000000000000000000}'), dp_define_column('vast', 'w', bins => '{0,4000000000000000000,4000000000000000001,9000000000000000000}');
SELECT dp_release('vast', 'flat', 1000) AS v \gset
SELECT filter, low < met + 0.01 AND high > met - 0.01 AS held FROM (VALUES ('{"v": [0, 8999999999999999999]}'::jsonb, 300), ('{"v": ["8999999999999999999", null]}', 2700), ('{"w": [0, 4000000000000000001]}', 0), ('{"w": "[4000000000000000001,4000000000000000001]"}', 3000),
	('{"w": [4000000000000000000, 4000000000000000001]}', 0)) f(filter, met), LATERAL dp_answer(:v, filter => filter);
-- what lies between two values of a grid counts as the lower one, so an end between them may take any part
CREATE TABLE between_days (t timestamp NOT NULL, n int NOT NULL, x numeric NOT NULL, k text NOT NULL CHECK (k IN ('a', 'b')));
INSERT INTO between_days SELECT timestamp '2024-01-01' + i % 10 * interval '1 day' + interval '15 hours', i % 10, i % 10 + 0.6, 'a' FROM generate_series(1, 3000) i;
SELECT dp_protect('between_days', 1000000, 1e-3);
SELECT dp_define_column('between_days', 't', range => '{2024-01-01,2024-01-11}', resolution => '1 day'), dp_define_column('between_days', 'n', range => '{0,9}'), dp_define_column('between_days', 'x', range => '{0,10}', resolution => '1');
SELECT dp_release('between_days', 'flat', 1000) AS b \gset
SELECT filter, round(low) AS low, round(high) AS high, met, basis FROM (VALUES ('{"t": ["2024-01-05 12:00", null]}'::jsonb, 1800), ('{"t": ["2024-01-05 18:00", null]}', 1500), ('{"t": [null, "2024-01-05 12:00"]}', 1200), ('{"t": ["2024-01-05", null]}', 1800),
	('{"t": ["[2024-01-02,2024-01-03)", "[2024-01-05 12:00,2024-01-07)"]}', 900), ('{"n": [4.5, null]}', 1500), ('{"n": [5, null]}', 1500), ('{"x": [4.5, null]}', 1800), ('{"x": [4, null]}', 1800)) f(filter, met), LATERAL dp_answer(:b, filter => filter);
SELECT count(*) FILTER (WHERE t < '2024-01-05 12:00') FROM dp_sample(NULL::between_days, :b, 100, 1, given => '{"t": ["2024-01-05 12:00", null]}');

-- domains of one value
CREATE TABLE one (n int CHECK (n BETWEEN 5 AND 5), s smallint CHECK (s = 3), d date CHECK (d = '2020-01-01'), g text CHECK (g IN ('a', 'b')), x numeric(4,2) CHECK (x = 1.25));
INSERT INTO one SELECT 5, 3, '2020-01-01', (ARRAY['a', 'b'])[1 + i % 2], 1.25 FROM generate_series(1, 1000) i;
SELECT dp_protect('one', 10000, 1e-3);
SELECT cell, measure, estimate, low, high FROM dp_query(NULL::one, '{avg(n),var(n),stddev(n),median(n),avg(s),var(s),avg(x),stddev(x),median(s)}', 5);
SELECT cell, measure, estimate, low, high FROM dp_query(NULL::one, '{avg(n),var(s)}', 5, by => '{g}') WHERE cell <> '{"g": null}';
SELECT measure, to_timestamp(estimate) AT TIME ZONE 'UTC', to_timestamp(low) AT TIME ZONE 'UTC' FROM dp_query(NULL::one, '{avg(d),median(d)}', 5);
SELECT measure, abs(estimate - CASE measure WHEN 'sum(n)' THEN 5000 ELSE 3000 END) < 200 FROM dp_query(NULL::one, '{sum(n),sum(s)}', 5);
SELECT m, count(*) FROM unnest('{mst,flat,sbhg}'::text[]) m, LATERAL dp_release('one', m, 5, CASE m WHEN 'flat' THEN 0 ELSE 1e-9 END) r, LATERAL dp_sample(NULL::one, r, 100, 1) s
 WHERE coalesce(n, 5) = 5 AND coalesce(s, 3) = 3 AND coalesce(x, 1.25) = 1.25 GROUP BY m ORDER BY m;
-- NaN and NULL are no values where the column may be NULL, and an end where not: for counts and sums alike
CREATE TABLE nans (y float8, z float8 NOT NULL);
INSERT INTO nans SELECT CASE i % 10 WHEN 0 THEN float8 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN NULL ELSE i % 7 END, CASE i % 10 WHEN 0 THEN float8 'NaN' ELSE i % 7 END FROM generate_series(1, 7000) i;
SELECT dp_protect('nans', 1000000);
SELECT dp_define_column('nans', 'y', range => '{0,10}'), dp_define_column('nans', 'z', range => '{1,10}');
SELECT measure, round(estimate::numeric, 1) FROM dp_query(NULL::nans, '{count(*),count(y),sum(y),avg(y),count(z),sum(z),avg(z)}', 10000);
SELECT count(y) FILTER (WHERE y <= 10), sum(y) FILTER (WHERE y <= 10), count(z), sum(CASE WHEN z = 'NaN' THEN 1 ELSE greatest(z, 1) END) FROM nans;
DROP SCHEMA t_cut CASCADE;
