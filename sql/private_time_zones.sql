-- A timestamp with time zone is read in the session's zone, as PostgreSQL reads it: dates, parts and
-- truncated times are those that clocks show there, also where these are set back.
\set VERBOSITY terse
CREATE SCHEMA t_private_time_zones;
CREATE ROLE regress_dp_zones_analyst;
GRANT USAGE ON SCHEMA t_private_time_zones TO regress_dp_zones_analyst;
SET search_path = t_private_time_zones, public;
SET client_min_messages = error;
SET timezone = 'UTC';
CREATE TABLE calls (id int NOT NULL, at timestamptz NOT NULL CHECK (at BETWEEN '2021-10-30 21:00+00' AND '2021-11-01 02:00+00'), price numeric(8,2) NOT NULL CHECK (price BETWEEN 0 AND 400));
INSERT INTO calls SELECT i, '2021-10-30 21:00+00'::timestamptz + i * interval '10 minutes', i % 40 * 10 FROM generate_series(0, 174) i;
SELECT dp_protect('calls', 1000000);
SELECT dp_grant('calls', 'regress_dp_zones_analyst', 1000000);

-- the same SELECT with rights and without them
SET timezone = 'Europe/Berlin';
\set day 'SELECT date_trunc(''day'', at), count(*) FROM calls GROUP BY 1 ORDER BY 1'
\set hour 'SELECT extract(hour FROM at) AS hour, count(*) FROM calls GROUP BY 1 HAVING count(*) > 7 ORDER BY 1'
\set date 'SELECT at::date, count(*) FROM calls WHERE at::timestamp >= ''2021-10-31 00:00'' GROUP BY 1 ORDER BY 1'
\set epoch 'SELECT round(avg(extract(epoch FROM at)) / 100) FROM calls'
\set york 'SELECT date_trunc(''month'', at AT TIME ZONE ''America/New_York''), count(*) FROM calls GROUP BY 1 ORDER BY 1'
:day;
:hour;
:date;
:epoch;
:york;
SET SESSION AUTHORIZATION regress_dp_zones_analyst;
SET client_min_messages = warning;
SELECT dp_private_queries(3000);
:day;
:hour;
:date;
:epoch;
:york;
-- another zone is another question
SET timezone = 'Asia/Kolkata';
:day;
SET timezone = 'UTC';
:day;
-- the hour that clocks show twice is one group
SET timezone = 'Europe/Berlin';
SELECT date_trunc('hour', at), count(*) FROM calls WHERE at BETWEEN '2021-10-31 00:00+00' AND '2021-10-31 01:59+00' GROUP BY 1 ORDER BY 2 DESC LIMIT 2;
-- zones that a setting decides, and zones of a row, are refused
SELECT count(*) FROM calls WHERE at AT TIME ZONE 'CET' > '2021-10-31';
SELECT count(*) FROM calls WHERE at AT TIME ZONE price::text > '2021-10-31';
SELECT count(*) FROM calls WHERE at AT TIME ZONE 'No/Where' > '2021-10-31';
SELECT count(*) FROM calls WHERE extract(timezone FROM at) > 0;
SELECT count(*) FROM calls WHERE at AT TIME ZONE '../Europe/Berlin' > '2021-10-31';
-- rounded to hundreds: five groups, and not 401
SELECT round(price, -2), count(*) FROM calls GROUP BY 1 ORDER BY 1;
SELECT round(price / 100, 1), count(*) FROM calls GROUP BY 1 ORDER BY 1 LIMIT 3;
SELECT count(*) AS debits FROM dp_ledger;
RESET SESSION AUTHORIZATION;
SELECT round(price, -2), count(*) FROM calls GROUP BY 1 ORDER BY 1;
SELECT round(price / 100, 1), count(*) FROM calls GROUP BY 1 ORDER BY 1 LIMIT 3;
DROP OWNED BY regress_dp_zones_analyst;
DROP ROLE regress_dp_zones_analyst;
DROP SCHEMA t_private_time_zones CASCADE;
