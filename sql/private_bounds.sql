-- How much of a unit counts: sums are cut by unit at a bound that is found, the budgets must cover all
-- questions of a statement before one is paid, and what is stored says what it rests on.
\set VERBOSITY terse
CREATE SCHEMA private_bounds;
SET search_path = private_bounds, public;
SET client_min_messages = warning;
CREATE TABLE buyer (id integer PRIMARY KEY, region text NOT NULL);
CREATE TABLE bought (buyer integer NOT NULL REFERENCES buyer, price numeric(8,2) NOT NULL, kind text NOT NULL);
-- each of 4,000 buyers has three rows worth 30 together, of a range up to 10,000; one has 50 worth 10,000 each
INSERT INTO buyer SELECT i, 'r' || i % 2 FROM generate_series(1, 4001) i;
INSERT INTO bought SELECT i, 10, 'a' FROM generate_series(1, 4000) i, generate_series(1, 3);
INSERT INTO bought SELECT 4001, 10000, 'a' FROM generate_series(1, 50);
SET client_min_messages = error;
SELECT dp_protect('buyer', 1000000);
SET client_min_messages = warning;
SELECT dp_protect('bought', parent => 'buyer', max_rows_per_unit => 50);
SELECT dp_define_column('bought', 'price', range => '{0,10000}');
SELECT dp_define_column('bought', 'kind', categories => '{a,b}');
SELECT dp_define_column('buyer', 'region', categories => '{r0,r1}');
CREATE ROLE private_bounds_analyst;
GRANT USAGE, CREATE ON SCHEMA private_bounds TO private_bounds_analyst;
SELECT dp_grant('bought', 'private_bounds_analyst', 160), dp_grant('buyer', 'private_bounds_analyst', 160);
SET ROLE private_bounds_analyst;
SELECT dp_private_queries(epsilon => 10, refresh => '0');
-- the one who buys for 500,000 is cut, and the noise is that of what the others buy for: the first
-- number is far below 620,000, the second near 120,000 and its error far below that of 50 x 10,000
-- (one bound in a hundred is another one: two of three)
CREATE FUNCTION private_bounds.is_mostly(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	true_of integer := 0;
	row_is boolean;
	all_are boolean;
BEGIN
	FOR i IN 1..3 LOOP
		all_are := true;
		FOR row_is IN EXECUTE query LOOP
			all_are := all_are AND row_is;
		END LOOP;
		true_of := true_of + all_are::integer;
	END LOOP;
	RETURN true_of >= 2;
END $$;
SELECT private_bounds.is_mostly('SELECT sum(price) BETWEEN 90000 AND 200000 AND dp_std_error(sum(price)) < 1000 FROM bought') AS of_most_and_narrow;
SELECT private_bounds.is_mostly($$SELECT sum(price) BETWEEN 50000 AND 75000 FROM bought JOIN buyer ON buyer = id WHERE region IN ('r0', 'r1') GROUP BY region$$) AS of_most;
-- a unit without a sum is as before: its rows are chosen
SELECT count(*) BETWEEN 11500 AND 12500 AS of_most FROM bought;
SELECT private_bounds.is_mostly($$SELECT count(*) BETWEEN 11500 AND 12500 AND sum(price) BETWEEN 110000 AND 140000 FROM bought WHERE kind IN ('a', 'b')$$) AS of_most;
SELECT dp_private_queries(epsilon => 10);
-- what is stored is read again: for nothing, and it says of what it is
CREATE FUNCTION private_bounds.explained(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line ~ 'costs|counted' THEN
			RETURN NEXT regexp_replace(regexp_replace(btrim(line), 'answer of .* is read', 'answer of T is read'),
									   '(adds|about|left|measured;|it costs epsilon 10, of) [0-9.e+]+', '\1 N', 'g');
		END IF;
	END LOOP;
END $$;
SELECT private_bounds.explained('SELECT sum(price) FROM bought');
SELECT private_bounds.explained('SELECT count(*) FROM bought');
SELECT private_bounds.explained('SELECT sum(price) FROM bought WHERE kind = ''b''');
-- what a stored release of the relation counts as well is read there, for nothing
RESET ROLE;
CREATE TABLE seen (kind text NOT NULL, sort text NOT NULL, at integer);
INSERT INTO seen SELECT CASE WHEN i <= 300 THEN 'a' ELSE 'b' END, CASE i % 2 WHEN 0 THEN 'x' ELSE 'y' END, i FROM generate_series(1, 1000) i;
SET client_min_messages = error;
SELECT dp_protect('seen', 1000);
SET client_min_messages = warning;
SELECT dp_define_column('seen', 'kind', categories => '{a,b}', complete => true);
SELECT dp_define_column('seen', 'sort', categories => '{x,y}', complete => true);
SELECT dp_grant('seen', 'private_bounds_analyst', 500);
SET ROLE private_bounds_analyst;
SELECT dp_release('seen', 'flat', 20, options => '{"columns": ["kind", "sort"]}') > 0 AS released;
CREATE VIEW private_bounds.paid AS SELECT count(*) AS debits FROM dp_ledger WHERE relation_name ~ 'seen';
SELECT dp_private_queries(epsilon => 10);
SELECT regexp_replace(line, 'release [0-9]+', 'release N') AS line
  FROM private_bounds.explained('SELECT kind, count(*) FROM seen GROUP BY kind') line;
SELECT kind, abs(count(*) - 300) < 20 AS a, abs(count(*) - 700) < 20 AS b, dp_high(count(*)) - dp_low(count(*)) < 5 AS sure
  FROM seen GROUP BY kind ORDER BY kind;
SELECT abs(count(*) - 300) < 20 AS a FROM seen WHERE kind = 'a';
SELECT sort, kind, abs(count(*) - 150) < 20 AS a, abs(count(*) - 350) < 20 AS b FROM seen GROUP BY kind, sort ORDER BY 1, 2;
SELECT abs(count(*) - 350) < 20 AS b FROM seen WHERE sort = 'x' AND kind = 'b';
SELECT * FROM private_bounds.paid;
-- not what it does not hold
SELECT abs(count(*) - 700) < 20 AS b FROM seen WHERE kind <> 'a';
SELECT kind, abs(count(at) - 300) < 20 AS a FROM seen GROUP BY kind ORDER BY kind;
SELECT abs(count(*) - 300) < 20 AS a, dp_high(count(*) * 2) > 0 AS drawn FROM seen WHERE kind = 'a';
SELECT * FROM private_bounds.paid;
-- nor what it holds with more noise than was asked for
SELECT dp_private_queries(epsilon => 100);
SELECT kind, abs(count(*) - 300) < 20 AS a FROM seen GROUP BY kind ORDER BY kind;
SELECT * FROM private_bounds.paid;
-- nor where what is older is to be asked for anew
SELECT dp_private_queries(epsilon => 10, refresh => '0');
SELECT abs(count(*) - 300) < 20 AS a FROM seen WHERE kind = 'a';
SELECT * FROM private_bounds.paid;
-- the budgets must cover both questions: nothing is spent for the first
SELECT 160 - sum(epsilon) AS left, 0.6 * (160 - sum(epsilon)) AS part FROM dp_ledger WHERE relation_name ~ 'bought' \gset
SELECT dp_private_queries(epsilon => :part);
SELECT count(*) FROM bought WHERE price < 5 UNION ALL SELECT count(*) FROM bought WHERE price < 7;
SELECT 160 - sum(epsilon) = :left AS nothing_spent, count(*) AS debits FROM dp_ledger WHERE relation_name ~ 'bought';
-- the same question twice is one
SELECT count(*) BETWEEN -100 AND 100 AS few FROM bought b WHERE price < 5 UNION ALL SELECT count(*) BETWEEN -100 AND 100 FROM bought WHERE price < 5.00;
-- also where what is older is to be asked for anew: what this statement asked is not
SELECT 0.6 * (160 - sum(epsilon)) AS part FROM dp_ledger WHERE relation_name ~ 'bought' \gset
SELECT dp_private_queries(epsilon => :part, refresh => '0');
SELECT count(*) BETWEEN -100 AND 100 AS few FROM bought WHERE price < 6 UNION ALL SELECT count(*) BETWEEN -100 AND 100 FROM bought WHERE price < 6;
SELECT count(*) BETWEEN -100 AND 100 AS few FROM bought WHERE price < 6;
-- a sub-select that depends on the row around it
SELECT region, (SELECT count(*) FROM bought WHERE kind = r.region) FROM (VALUES ('r0')) r (region);
-- who writes a question by hand reads no public table that it may not read
RESET ROLE;
CREATE TABLE place (sort text PRIMARY KEY, far boolean NOT NULL);
INSERT INTO place VALUES ('x', true), ('y', false);
SELECT dp_declare_public('place');
CREATE FUNCTION private_bounds.by_hand() RETURNS jsonb LANGUAGE sql AS $$
	SELECT format('{"question": {"relations": [{}, {"public": %s, "on": ["texteq", ["column", 0, "sort"], ["column", 1, "sort"]]}],
		"groups": [["column", 1, "far"]], "measures": [{"measure": "rows"}]}}', 'private_bounds.place'::regclass::oid)::jsonb $$;
SET ROLE private_bounds_analyst;
SELECT dp_release('seen', 'query', 1, options => private_bounds.by_hand());
SELECT count(*) FROM dp_explain('seen', 'query', 1, options => private_bounds.by_hand());
SELECT far, count(*) > 0 FROM seen JOIN place USING (sort) GROUP BY far;
RESET ROLE;
GRANT SELECT ON place TO private_bounds_analyst;
SET ROLE private_bounds_analyst;
SELECT dp_release('seen', 'query', 1, options => private_bounds.by_hand()) > 0 AS released;
RESET ROLE;
DROP SCHEMA private_bounds CASCADE;
DROP ROLE private_bounds_analyst;
