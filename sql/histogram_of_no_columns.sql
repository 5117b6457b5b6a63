-- dp_histogram of no columns is the number of rows, whatever is declared of the columns.
\pset null NULL
\t on
\pset format unaligned
CREATE SCHEMA no_columns;
SET search_path = no_columns, public;
SET client_min_messages = error;
CREATE TABLE words (word text, length integer);
INSERT INTO words SELECT repeat('a', i), i FROM generate_series(1, 5) i;
INSERT INTO words VALUES (NULL, NULL), ('not in any domain', 7);
SELECT dp_protect('words', epsilon => 100000, delta => 1e-6) \g /dev/null
-- every column open: with a domain, without one, and both
CREATE PROCEDURE declare(domains jsonb[]) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dp_define_column('words', 'word', open => true, domain => domains[1]);
	PERFORM dp_define_column('words', 'length', open => true, domain => domains[2]);
END
$$;
CREATE FUNCTION rows_told(mechanism text) RETURNS text LANGUAGE sql AS $$
	SELECT format('%s %s', cell, estimate) FROM dp_histogram(NULL::words, '{}', 1000, 1e-9, mechanism)
$$;
CALL declare(ARRAY['{"alphabet": "a", "min_length": 1, "max_length": 5}'::jsonb, '{"from": 1, "to": 9}'::jsonb]);
SELECT m, rows_told(m) FROM unnest('{cathist,laplace,stability}'::text[]) m;
CALL declare(ARRAY[NULL::jsonb, NULL]);
SELECT m, rows_told(m) FROM unnest('{cathist,laplace,stability}'::text[]) m;
CALL declare(ARRAY[NULL::jsonb, '{"from": 1, "to": 9}'::jsonb]);
SELECT m, rows_told(m) FROM unnest('{cathist,laplace,stability}'::text[]) m;
-- each debit was followed by a release, which can be read again
SELECT count(*), count(*) FILTER (WHERE status = 'released') FROM dp_ledger WHERE relation_name = 'no_columns.words';
SELECT DISTINCT h.cell, h.estimate FROM dp_releases r, dp_histogram(r.release) h WHERE r.relation = 'no_columns.words'::regclass;
DROP SCHEMA no_columns CASCADE;
