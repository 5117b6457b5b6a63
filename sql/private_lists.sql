-- Lists and series beside rows: bins, hours and days, with and without rows. Each SELECT is run by the owner, and by an
-- analyst with noise that is rounded away.
\set VERBOSITY terse
CREATE SCHEMA t_private_lists;
CREATE ROLE regress_dp_lists_analyst;
GRANT USAGE ON SCHEMA t_private_lists TO regress_dp_lists_analyst;
SET search_path = t_private_lists, public;
SET client_min_messages = error;
SET timezone = 'Europe/Berlin';
CREATE TABLE visits (id int PRIMARY KEY, ward int NOT NULL CHECK (ward BETWEEN 1 AND 4), at timestamp NOT NULL CHECK (at BETWEEN '2024-03-01' AND '2024-06-30'),
	day date NOT NULL CHECK (day BETWEEN '2024-03-01' AND '2024-06-30'), price int NOT NULL CHECK (price BETWEEN 0 AND 100), urgent boolean NOT NULL);
INSERT INTO visits SELECT i, 1 + i % 3, at, at::date, i % 80, i % 3 = 0 FROM generate_series(1, 300) i, LATERAL (SELECT timestamp '2024-03-20' + i * interval '5 hours' AS at) a
  WHERE at::date <> '2024-04-02';
SELECT dp_protect('visits', 1000000), dp_grant('visits', 'regress_dp_lists_analyst', 500000);
CREATE TABLE asked (number int GENERATED ALWAYS AS IDENTITY, statement text);
GRANT SELECT ON asked TO regress_dp_lists_analyst;
INSERT INTO asked (statement) VALUES
($$SELECT g * 25 AS low, count(v.id) FROM generate_series(0, 3) g LEFT JOIN visits v ON v.price >= g * 25 AND v.price < (g + 1) * 25 GROUP BY 1 ORDER BY 1$$),
($$SELECT g, count(v.id), sum(CASE WHEN v.urgent THEN 1 ELSE 0 END) AS u FROM generate_series(0::bigint, 80, 20) AS g LEFT JOIN visits v ON v.price BETWEEN g AND g + 19 GROUP BY g ORDER BY g$$),
($$SELECT h, count(v.id), count(nullif(v.ward, 1)) AS w FROM generate_series(0, 23) h LEFT JOIN visits v ON extract(hour FROM v.at) = h GROUP BY h ORDER BY h$$),
($$SELECT h, count(v.id) FROM visits v RIGHT JOIN generate_series(0, 23) h ON extract(hour FROM v.at) = h AND v.urgent WHERE h BETWEEN 8 AND 12 GROUP BY h ORDER BY h$$),
-- days: also those on which clocks are set, and those without rows
($$SELECT d::date, count(v.id) FROM generate_series(date '2024-03-28', date '2024-04-04', '1 day') d LEFT JOIN visits v ON v.day = d::date GROUP BY 1 ORDER BY 1$$),
($$SELECT d::date AS day, count(v.id), coalesce(sum(v.price) - sum(v.price), 0) AS none FROM generate_series('2024-03-28'::date, '2024-04-04'::date, interval '1 day') AS t(d) LEFT JOIN visits v ON v.at::date = t.d::date GROUP BY d::date ORDER BY d::date$$),
($$SELECT d, count(v.id) FROM generate_series(timestamp '2024-03-28', '2024-04-04', '1 day') d LEFT JOIN visits v ON date_trunc('day', v.at) = d GROUP BY d ORDER BY d$$),
($$SELECT d, count(v.id) FROM generate_series(timestamp '2024-03-01', '2024-06-01', '1 month') d LEFT JOIN visits v ON v.at >= d AND v.at < d + interval '1 month' GROUP BY d ORDER BY d$$),
($$SELECT to_char(d, 'YYYY-MM') AS m, count(v.id) FROM generate_series(timestamp '2024-03-01', '2024-06-01', '1 month') d LEFT JOIN visits v ON date_trunc('month', v.day) = d GROUP BY d ORDER BY d$$),
-- an hour begins half an hour after another one
($$SELECT coalesce(date_trunc('hour', (at - interval '2 hours') AT TIME ZONE 'UTC', 'Australia/Lord_Howe'), NULL) AS h, count(*) FROM visits WHERE at BETWEEN '2024-04-06 10:00' AND '2024-04-07' GROUP BY 1 HAVING count(*) > 0.5 ORDER BY 1$$),
-- lists
($$SELECT l.name, count(v.id), count(DISTINCT v.ward) AS w FROM (VALUES ('eye', 1), ('heart', 2)) l(name, ward) LEFT JOIN visits v ON v.ward = l.ward GROUP BY 1 ORDER BY 1$$),
($$SELECT l.label, count(*) FROM (VALUES (NULL::int, 20, 'low'), (20, 60, 'mid'), (60, NULL, 'high')) l(a, b, label) JOIN visits v ON v.price >= coalesce(l.a, 0) AND v.price < coalesce(l.b, 1000) GROUP BY 1 ORDER BY 1$$),
($$SELECT count(*) FROM generate_series(9223372036854775800, 9223372036854775807, 5) g JOIN visits v ON v.ward = g$$),
($$SELECT g, count(*) FROM generate_series(1, 4) g JOIN visits v ON v.ward = 5 - g WHERE v.urgent GROUP BY g HAVING count(*) > 0.5 ORDER BY g$$);
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
GRANT SELECT ON truth TO regress_dp_lists_analyst;
SET SESSION AUTHORIZATION regress_dp_lists_analyst;
SET client_min_messages = warning;
SELECT dp_private_queries(3000);
SELECT number, rows AS truth, CASE WHEN told <> rows THEN told END AS told_otherwise
  FROM truth JOIN asked USING (number), LATERAL (SELECT array_agg(row) AS told FROM told(statement) row) t ORDER BY number;
-- a number that no ward can have does not come back
SELECT g FROM (SELECT g, count(v.id) FROM generate_series(3, 9) g LEFT JOIN visits v ON v.ward = g GROUP BY g) x ORDER BY g;
-- what has no answer costs nothing
SELECT count(*) AS before FROM dp_ledger \gset
SELECT g, count(*) FROM generate_series(1, 4) g LEFT JOIN visits v ON v.ward = g GROUP BY g;
SELECT g, count(coalesce(v.ward, 0)) FROM generate_series(1, 4) g LEFT JOIN visits v ON v.ward = g GROUP BY g;
SELECT g, count(v.id) FROM generate_series(1, 4) g LEFT JOIN visits v ON v.ward = g WHERE v.id IS NULL GROUP BY g;
SELECT v.urgent, count(v.id) FROM generate_series(1, 4) g LEFT JOIN visits v ON v.ward = g GROUP BY 1;
SELECT count(v.id) FROM generate_series(1, 4) g LEFT JOIN visits v ON v.ward = g;
SELECT g, count(v.id) FROM generate_series(0, 100, 10) g LEFT JOIN visits v ON v.price BETWEEN g AND g + 10 GROUP BY g;
SELECT d, count(v.id) FROM generate_series(date '2024-03-28', date '2024-04-04', '1 day') d LEFT JOIN visits v ON v.day = d::date GROUP BY 1;
SELECT d::date, count(v.id) FROM generate_series(date '2024-03-28', date '2024-04-04', '1 day') d LEFT JOIN visits v ON v.day = d::date GROUP BY 1 HAVING (SELECT d) > '2024-03-28';
SELECT g, count(v.id) FROM generate_series(1, 1000000000) g LEFT JOIN visits v ON v.ward = g GROUP BY g;
SELECT g, count(v.id) FROM generate_series(1, 4, 0) g LEFT JOIN visits v ON v.ward = g GROUP BY g;
SELECT d, count(v.id) FROM generate_series(timestamp '2024-03-28', 'infinity', '1 day') d LEFT JOIN visits v ON v.day = d GROUP BY 1;
SELECT count(*) - :before AS debits FROM dp_ledger;
RESET SESSION AUTHORIZATION;
DROP OWNED BY regress_dp_lists_analyst;
DROP ROLE regress_dp_lists_analyst;
DROP SCHEMA t_private_lists CASCADE;
