-- A relation of 1000 columns, each with a CHECK or of a domain of its own: what is known of them is
-- found in time that grows with their number, not with its square, which would be far above the limit.
\set SHOW_CONTEXT never
\t on
\pset format unaligned
SET client_min_messages = error;
CREATE SCHEMA columns_many;
SET search_path = columns_many, public;
DO $$
BEGIN
	FOR i IN 1..100 LOOP
		EXECUTE format('CREATE DOMAIN grade_%s AS integer CHECK (VALUE BETWEEN 1 AND 6)', i);
	END LOOP;
	EXECUTE (SELECT format('CREATE TABLE wide (id serial PRIMARY KEY, %s)', string_agg(CASE
		WHEN i <= 600 THEN format('c%1$s integer NOT NULL CHECK (c%1$s BETWEEN 0 AND 9)', i)
		WHEN i <= 750 THEN format('c%1$s text CHECK (c%1$s IN (''a'', ''b''))', i)
		WHEN i <= 900 THEN format('c%1$s text CHECK (length(c%1$s) < 9)', i)
		ELSE format('c%s grade_%s', i, i - 900) END, ', ')) FROM generate_series(1, 1000) i);
END
$$;
SELECT dp_protect('wide', 1);
SET statement_timeout = '12s';
SELECT kind, source, count(*) FROM dp_catalog.dp_column_domains('wide') GROUP BY 1, 2 ORDER BY 1, 2;
SELECT count(*), count(left_out) FROM dp_catalog.dp_synthetic_columns('wide');
RESET statement_timeout;
-- which CHECKs name a column is told by its number, and not by numbers that begin with the same digits
SELECT labels FROM dp_catalog.dp_column_domains('wide') WHERE column_name IN ('c1', 'c10', 'c100', 'c601', 'c751', 'c901') ORDER BY ordinal;
DROP SCHEMA columns_many CASCADE;
