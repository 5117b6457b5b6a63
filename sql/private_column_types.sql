-- Money and citext: each SELECT is run by the owner, who reads the table, and by an analyst, who gets noise that is
-- rounded away.
\set VERBOSITY terse
CREATE SCHEMA t_private_types;
CREATE ROLE regress_dp_types_analyst;
GRANT USAGE ON SCHEMA t_private_types TO regress_dp_types_analyst;
SET search_path = t_private_types, public;
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS citext SCHEMA t_private_types;
CREATE TABLE tariffs (tariff citext PRIMARY KEY, fee money NOT NULL UNIQUE);
CREATE TABLE people (id int PRIMARY KEY, channel citext NOT NULL CHECK (channel IN ('Web', 'Shop', 'Phone')), note citext);
CREATE TABLE orders (id int PRIMARY KEY, person int NOT NULL REFERENCES people, paid money NOT NULL CHECK (paid >= '0' AND paid <= '200'),
	tip money, price numeric(8,2) NOT NULL CHECK (price BETWEEN 0 AND 200), tariff citext NOT NULL REFERENCES tariffs, wide money NOT NULL,
	deposit money NOT NULL REFERENCES tariffs (fee));
INSERT INTO tariffs VALUES ('Low', '1.50'), ('High', '4');
INSERT INTO people SELECT i, (ARRAY['Web', 'shop', 'PHONE', 'WEB', 'Shop'])[1 + i % 5], (ARRAY['a', 'B', NULL])[1 + i % 3] FROM generate_series(1, 300) i;
INSERT INTO orders SELECT i, 1 + i % 290, (i % 900 / 9.0)::numeric::money, CASE WHEN i % 5 > 0 THEN (i % 8)::money END, round(i % 900 / 9.0, 2), (ARRAY['low', 'HIGH'])[1 + i % 2], i::money,
  (ARRAY['1.50', '4'])[1 + i % 2]::money FROM generate_series(1, 900) i;
SELECT dp_declare_public('tariffs');
SELECT dp_protect('people', 1000000), dp_protect('orders', parent => 'people', max_rows_per_unit => 4);
SELECT dp_define_column('people', 'note', '{A,b}'), dp_define_column('orders', 'tip', range => '{0,10}');
SELECT dp_grant(r, 'regress_dp_types_analyst', 500000) FROM unnest('{people,orders}'::regclass[]) r;
CREATE TABLE asked (number int GENERATED ALWAYS AS IDENTITY, statement text);
GRANT SELECT ON asked, tariffs TO regress_dp_types_analyst;
INSERT INTO asked (statement) VALUES
-- citext: one group of all that is equal, in the spelling that is declared
($$SELECT lower(channel) AS c, count(*) FROM people GROUP BY channel ORDER BY 1$$),
($$SELECT lower(note) AS n, count(*) FROM people GROUP BY note ORDER BY 1$$),
($$SELECT count(DISTINCT channel) AS c, count(DISTINCT note) AS n FROM people$$),
($$SELECT count(*) FROM people WHERE channel = 'web'$$),
($$SELECT count(*) FROM people WHERE channel IN ('web', 'phone')$$),
($$SELECT count(*) FROM people WHERE channel <> ALL (ARRAY['WEB']::citext[])$$),
($$SELECT count(*) FILTER (WHERE note IS DISTINCT FROM 'A') AS d, count(nullif(note, 'b')) AS n, count(*) FILTER (WHERE note > 'a') AS g FROM people$$),
($$SELECT count(*) FILTER (WHERE channel LIKE 'w%') AS l, count(*) FILTER (WHERE channel ILIKE '%O%') AS i, count(*) FILTER (WHERE channel NOT LIKE 'S%') AS n FROM people$$),
($$SELECT CASE channel WHEN 'web' THEN 1 WHEN 'SHOP' THEN 2 ELSE 3 END AS c, count(*) FROM people GROUP BY 1 ORDER BY 1$$),
($$SELECT upper(channel) AS u, left(lower(channel::text), 1) AS l, count(*) FROM people GROUP BY 1, 2 HAVING count(*) > 0.5 ORDER BY 1$$),
($$SELECT lower(channel) AS c, count(*), grouping(channel) AS g FROM people GROUP BY ROLLUP (channel) ORDER BY 1 NULLS LAST$$),
($$SELECT count(*) FROM people WHERE channel IN (SELECT channel FROM people GROUP BY channel HAVING count(*) > 100)$$),
($$SELECT count(*) FROM people p WHERE EXISTS (SELECT FROM orders o WHERE o.person = p.id AND o.tariff = 'high')$$),
($$SELECT lower(channel) AS c, avg(n)::numeric(9,2) AS a FROM people p JOIN (SELECT person, count(*) AS n FROM orders GROUP BY person) o ON o.person = p.id GROUP BY channel ORDER BY 1$$),
($$SELECT lower(tariff) AS t, count(*) FROM (SELECT person, tariff FROM orders GROUP BY person, tariff) x GROUP BY tariff ORDER BY 1$$),
-- of a public table, too
($$SELECT lower(t.tariff) AS t, t.fee, count(*) FROM orders o JOIN tariffs t ON t.tariff = o.tariff WHERE t.fee > '1' GROUP BY t.tariff, t.fee HAVING count(*) > 0.5 ORDER BY 1$$),
($$SELECT lower(tariff) AS t, count(*) FROM orders GROUP BY tariff ORDER BY 1$$),
-- money
($$SELECT round(sum(paid)::numeric, -3) AS s, round(sum(paid)::numeric / count(*), 0) AS m, round(avg(paid::numeric), 0) AS a FROM orders$$),
($$SELECT tariff = 'low' AS low, round(sum(tip)::numeric, -2) AS s, count(tip) AS n FROM orders GROUP BY 1 ORDER BY 1$$),
($$SELECT count(*) FILTER (WHERE paid = '11') AS e, count(*) FILTER (WHERE paid IN ('11', '1.00')) AS i, count(*) FILTER (WHERE paid >= '90' OR paid < '0.5') AS g FROM orders$$),
($$SELECT round(sum(paid * 2)::numeric, -3) AS a, round(sum(paid * 1.6::float8)::numeric, -3) AS b, round(sum(paid / 3)::numeric, -3) AS c, round(sum(paid - tip / 2.5::float8)::numeric, -3) AS d,
	round(avg(paid / '10'::money)::numeric, 1) AS e, round(sum(2::smallint * paid + '1')::numeric, -3) AS f FROM orders$$),
($$SELECT round(avg(price - paid::numeric), 1) AS a, count(*) FILTER (WHERE price::money = paid) AS e, count(*) FILTER (WHERE paid::numeric > 50.5) AS g FROM orders$$),
($$SELECT CASE WHEN paid < '50'::money THEN 'low' ELSE 'high' END AS band, round(sum(greatest(paid, '20'))::numeric, -3) AS g, round(sum(coalesce(tip, '1'))::numeric, -3) AS c FROM orders GROUP BY 1 ORDER BY 1$$),
($$SELECT tip, count(*) FROM orders WHERE tip IN ('1', '2', '3.5') GROUP BY 1 HAVING count(*) > 0.5 ORDER BY 1$$),
($$SELECT round(avg(s)::numeric / 7, 0) AS s, round(avg(m)::numeric, 0) AS m FROM (SELECT person, sum(paid)::numeric AS s, max(paid)::numeric AS m FROM orders GROUP BY person) x$$),
($$SELECT round(sum(fee)::numeric, -2) AS s FROM orders o JOIN tariffs t ON t.tariff = o.tariff$$),
($$SELECT deposit, count(*) FROM orders GROUP BY 1 ORDER BY 1$$),
($$SELECT round(sum(deposit)::numeric, -2) AS s FROM orders$$),
($$SELECT count(*) FROM orders WHERE wide BETWEEN '10' AND '20'$$),
($$SELECT round(sum(wide)::numeric, -2) AS s FROM orders WHERE wide BETWEEN '10' AND '20'$$);
CREATE FUNCTION told(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE row record;
BEGIN
	FOR row IN EXECUTE statement LOOP
		RETURN NEXT row::text;
	END LOOP;
EXCEPTION WHEN OTHERS THEN
	RETURN NEXT sqlstate || ' ' || sqlerrm;
END $$;
CREATE TABLE truth AS SELECT number, array_agg(row) AS rows FROM asked, told(statement) row GROUP BY number;
GRANT SELECT ON truth TO regress_dp_types_analyst;
SET SESSION AUTHORIZATION regress_dp_types_analyst;
SET client_min_messages = warning;
SELECT dp_private_queries(5000);
SELECT number, rows AS truth, CASE WHEN told <> rows THEN told END AS told_otherwise
  FROM truth JOIN asked USING (number), LATERAL (SELECT array_agg(row) AS told FROM told(statement) row) t ORDER BY number;
-- columns of the answer have their own types
SELECT pg_typeof(channel)::text LIKE '%citext' AS citext, channel, pg_typeof(dp_low(count(*))) AS low FROM people GROUP BY channel ORDER BY channel;
-- what tells equal values apart is NULL where no listed one is written so
SELECT left(channel::text, 1) AS l, round(count(*), -1) AS n FROM people GROUP BY 1 ORDER BY 1;
SELECT length(channel::text) AS l, upper(channel) AS u, round(count(*), -1) AS n FROM people GROUP BY 1, 2 HAVING count(*) > 5 ORDER BY 1;
SELECT pg_typeof(sum(paid)) AS type, sum(paid) > '1' AS more, sum(sum(paid)) OVER () > '1' AS all FROM orders;
SELECT dp_low(sum(paid)) BETWEEN 44000 AND 44950 AS low, dp_high(sum(paid) / count(*)) BETWEEN 49.9 AND 51 AS high, dp_std_error(sum(paid) * 2) < 100 AS error FROM orders;
-- a price of another locale is the same number of cents
SET lc_monetary = 'C';
SELECT count(*) AS before FROM dp_ledger \gset
SELECT round(sum(paid)::numeric, -3) AS s FROM orders;
SELECT count(*) - :before AS debits FROM dp_ledger;
-- what has no answer costs nothing
SELECT paid::text, count(*) FROM orders GROUP BY 1;
SELECT sum(wide) FROM orders;
SELECT count(*) FROM people WHERE channel ~ 'w';
SELECT sum(length(greatest(channel, 'x'))) FROM people;
SELECT count(*) FROM people WHERE strpos(channel, 'w'::citext) = 1;
SELECT max(paid) FROM orders;
SELECT count(*) - :before AS debits FROM dp_ledger;
EXPLAIN (COSTS OFF) SELECT channel, count(*) FROM people WHERE channel <> 'web' GROUP BY channel;
-- a foreign key that is NOT VALID says nothing of the rows that stood before it
RESET SESSION AUTHORIZATION;
CREATE TABLE kinds (kind text PRIMARY KEY);
INSERT INTO kinds VALUES ('a'), ('b');
CREATE TABLE parcels (id int PRIMARY KEY, kind text NOT NULL);
INSERT INTO parcels SELECT i, (ARRAY['a', 'b', 'lost'])[1 + i % 3] FROM generate_series(1, 300) i;
ALTER TABLE parcels ADD FOREIGN KEY (kind) REFERENCES kinds NOT VALID;
SELECT dp_declare_public('kinds'), dp_protect('parcels', 1000000);
SELECT dp_grant('parcels', 'regress_dp_types_analyst', 500000);
SET SESSION AUTHORIZATION regress_dp_types_analyst;
SELECT kind, count(*) FROM parcels GROUP BY kind ORDER BY kind;
RESET SESSION AUTHORIZATION;
DROP OWNED BY regress_dp_types_analyst;
DROP ROLE regress_dp_types_analyst;
DROP SCHEMA t_private_types CASCADE;
