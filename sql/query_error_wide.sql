-- dp_error of many columns comes in seconds
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t_error_wide;
SET search_path = t_error_wide, public;
SET client_min_messages = error;
SELECT format('CREATE TABLE wide AS SELECT %s FROM generate_series(1, 2000) g', string_agg(format('((g * %s + g / 5) %% 5)::smallint c%s', i, i), ',')) FROM generate_series(1, 150) i \gexec
SELECT dp_protect('wide', 1000, 1e-5);
SELECT dp_release('wide', 'sbhg', 20, 1e-9) AS sbhg \gset
SELECT dp_release('wide', 'mst', 20, 1e-9) AS mst \gset
SET statement_timeout = '300s';
SELECT count(*) = 150 * 151 / 2, count(drawing) = count(*), count(noise) >= 150, count(fit) = count(noise),
	-- five levels, each of a fifth: at most the root of 4/25 of 1,000 rows
	bool_and(drawing < sqrt(0.17 / 1000)), avg(drawing) > 0 FROM unnest(ARRAY[:sbhg, :mst]) r, LATERAL dp_error(r, 1000) GROUP BY r;
DROP SCHEMA t_error_wide CASCADE;
