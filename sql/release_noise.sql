-- a release that will be mostly noise says so before it is paid for
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t_noise;
SET search_path = t_noise, public;
SET client_min_messages = error;
SELECT format('CREATE TABLE wide AS SELECT %s FROM generate_series(1, 176) g', string_agg(format('(g * %s %% 50)::smallint c%s', i, i), ',')) AS wide FROM generate_series(1, 80) i \gset
:wide;
CREATE TABLE narrow AS SELECT (g % 50)::smallint a, (g % 7)::smallint b FROM generate_series(1, 4000) g;
SELECT dp_protect('wide', 1000, 1e-5), dp_protect('narrow', 1000, 1e-5);
RESET client_min_messages;
-- nothing is known of the number of rows
SELECT dp_release('wide', 'marginal', 1) > 0;
-- the user states it
SELECT dp_release('wide', 'auto', 1, options => '{"table_rows": 176}') > 0;
SELECT dp_release('wide', 'auto', 1, options => '{"table_rows": 176, "partial": true}') > 0;
SELECT dp_release('wide', 'auto', 1, options => '{"table_rows": 176, "columns": ["c1"]}') > 0;
-- and here there are enough
SELECT dp_release('narrow', 'auto', 1, options => '{"table_rows": 4000}') > 0;
SET client_min_messages = error;
DROP SCHEMA t_noise CASCADE;
