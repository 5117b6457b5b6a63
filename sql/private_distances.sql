-- Columns that are declared as the distance from another column: what they hold, and the difference of the two, which
-- is measured within the declared range whatever a row holds.
\set VERBOSITY terse
CREATE SCHEMA private_distances;
CREATE ROLE private_distances_analyst;
GRANT USAGE ON SCHEMA private_distances TO private_distances_analyst;
SET search_path = private_distances, public;
SET client_min_messages = error;
CREATE TABLE person (id int PRIMARY KEY, born date NOT NULL CHECK (born BETWEEN '1950-01-01' AND '1999-12-31'));
CREATE TABLE stay (id int PRIMARY KEY, person int NOT NULL REFERENCES person, began timestamptz NOT NULL, ended timestamptz, first date NOT NULL, last date NOT NULL, paid date);
INSERT INTO person SELECT i, date '1950-01-01' + i * 30 FROM generate_series(1, 600) i;
INSERT INTO stay SELECT i, i, b, b + interval '2 hours', b::date, b::date + 3, b::date + 30
  FROM (SELECT i, timestamptz '2024-03-01 10:00+00' + i * interval '1 hour' AS b FROM generate_series(1, 600) i) s;
-- two rows that break what is declared: one ends after ten days, one before it began; and one that has not ended
UPDATE stay SET ended = began + interval '10 days', last = first + 100 WHERE id = 1;
UPDATE stay SET ended = began - interval '10 days', last = first - 100 WHERE id = 2;
UPDATE stay SET ended = NULL WHERE id = 3;
SELECT dp_protect('person', 1000000), dp_protect('stay', parent => 'person', max_rows_per_unit => 1);
SELECT dp_define_column('stay', 'began', range => '{2024-01-01,2025-01-01}'), dp_define_column('stay', 'ended', offset_of => 'began', range => '{0 hours,5 hours}'),
	   dp_define_column('stay', 'first', range => '{2024-01-01,2025-01-01}'), dp_define_column('stay', 'last', offset_of => 'first', range => '{0,10}'),
	   dp_define_column('stay', 'paid', offset_of => 'person.born', range => '{0,30000}');
SELECT dp_grant(r, 'private_distances_analyst', 300000) FROM unnest('{person,stay}'::regclass[]) r;
SET ROLE private_distances_analyst;
SET client_min_messages = warning;
SELECT dp_private_queries(3000);
-- 597 of 2 hours, one of 5 and one of 0; 598 of 3 days, one of 10 and one of 0
SELECT round(extract(epoch FROM sum(ended - began)) / 3600) AS hours, round(sum(last - first)) AS days FROM stay;
SELECT round(sum(extract(epoch FROM ended - began) / 3600)) AS hours FROM stay;
SELECT round(sum(extract(epoch FROM ended - began) / 3600 * 2)) AS half_hours FROM stay WHERE first < '2024-03-10';
SELECT date_trunc('hour', avg(ended - began)) AS mean FROM stay;
-- the noise is that of the distance, and not of both columns: 5 hours of a year
SELECT dp_std_error(sum(ended - began)) < 20 AS narrow, dp_std_error(sum(ended - first)) > 10000 AS wide FROM (SELECT ended, began, first::timestamp AT TIME ZONE 'UTC' AS first FROM stay) s;
-- the column itself: days that begin with the base's and end a distance later
SELECT ended < '2024-03-10' AS early, count(*) FROM stay GROUP BY 1 ORDER BY 1;
SELECT date_trunc('month', last)::date AS month, count(*) FROM stay GROUP BY 1 HAVING count(*) > 0 ORDER BY 1;
SELECT date_trunc('quarter', last) AS quarter, count(*) FROM stay GROUP BY 1 HAVING count(*) > 0 ORDER BY 1;
-- nothing rests on the distance that must hold of every row
SELECT sum(1 / (last - first)) FROM stay;
SELECT sum(sqrt(last - first)) FROM stay;
-- of a row that the row belongs to
SELECT round(sum(paid - first), -3) FROM stay;
SELECT date_trunc('month', paid)::date AS month, count(*) FROM stay GROUP BY 1 HAVING count(*) > 0.5 ORDER BY 1;
SELECT round(avg(s.paid - p.born)) AS days FROM stay s JOIN person p ON p.id = s.person;
SELECT count(*) FROM stay WHERE paid > '2024-04-10';
RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA private_distances CASCADE;
DROP ROLE private_distances_analyst;
