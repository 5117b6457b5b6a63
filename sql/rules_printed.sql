-- CHECKs that compare texts without case, and that print a date, are kept.
\set VERBOSITY terse
SET client_min_messages = error;
CREATE SCHEMA printed;
CREATE EXTENSION citext SCHEMA printed;
SET search_path = public, printed;
SET DateStyle = ISO;
SET client_min_messages = notice;
CREATE TABLE pr_stays (town citext NOT NULL, country text NOT NULL, begins date NOT NULL, code text NOT NULL,
	CHECK (town <> 'berlin' OR country = 'de'), CHECK (code <> 'D' OR 'D' || begins < 'D2021-01-01'));
INSERT INTO pr_stays
SELECT CASE g % 3 WHEN 0 THEN 'Berlin' WHEN 1 THEN 'Rome' ELSE 'Bern' END, CASE WHEN g % 3 = 0 THEN 'de' ELSE 'it' END,
	   date '2020-01-01' + g % 700, CASE WHEN g % 700 < 366 AND g % 2 = 0 THEN 'D' ELSE 'E' END
  FROM generate_series(1, 3000) g;
SET client_min_messages = error;
SELECT dp_protect('pr_stays', epsilon => 10000);
SELECT dp_define_column('pr_stays', 'town', categories => '{Berlin,Rome,Bern}', complete => true);
SELECT dp_define_column('pr_stays', 'country', categories => '{de,it,ch}', complete => true);
SELECT dp_define_column('pr_stays', 'begins', range => '{2020-01-01,2021-12-31}');
SELECT dp_define_column('pr_stays', 'code', categories => '{D,E}', complete => true);
SET client_min_messages = notice;
SELECT dp_release('pr_stays'::regclass, 'marginal', 3000) IS NOT NULL AS released;
SELECT count(*), sum((NOT (town <> 'berlin' OR country = 'de') OR NOT (code <> 'D' OR begins < '2021-01-01'))::integer) AS broken,
	   bool_or(town = 'BERLIN') AS berlin, count(DISTINCT town::text)
  FROM dp_sample(NULL::pr_stays, (SELECT max(release) FROM dp_releases), 3000, seed => 1);
SET client_min_messages = error;
DROP TABLE pr_stays;
DROP SCHEMA printed CASCADE;
