-- A key of several columns to a public table, one of which is UNIQUE with others: that column stays, and others that fit are set.
-- Rows of a table that no foreign key says whose they are: by a column that is called as a key is. Keys below the noise are drawn evenly.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t_season;
CREATE SCHEMA t_season_made;
SET search_path = t_season, public;
SET client_min_messages = error;
CREATE TABLE teams (year integer, league text, team text, PRIMARY KEY (year, league, team));
INSERT INTO teams SELECT y, 'L' || t % 2, 't' || y % 5 * 100 + t FROM generate_series(2001, 2020) y, generate_series(1, 8) t;
CREATE TABLE player (id integer PRIMARY KEY, born integer NOT NULL);
CREATE TABLE batting (player integer NOT NULL REFERENCES player, year integer NOT NULL, stint integer NOT NULL, league text NOT NULL, team text NOT NULL, hits integer NOT NULL,
	PRIMARY KEY (player, year, stint), FOREIGN KEY (year, league, team) REFERENCES teams);
INSERT INTO player SELECT i, 1970 + i % 20 FROM generate_series(1, 1500) i;
INSERT INTO batting SELECT i, y, 1, 'L' || (i + y) % 8 % 2, 't' || y % 5 * 100 + CASE (i + y) % 8 WHEN 0 THEN 8 ELSE (i + y) % 8 END, (i * y) % 50
  FROM generate_series(1, 1500) i, LATERAL generate_series(2001 + i % 17, 2003 + i % 17) y;
-- in no key: whose accounts these are is not said by a foreign key, nor whether a price list is anybody's
CREATE TABLE payment (id integer PRIMARY KEY, account_id integer NOT NULL, at date NOT NULL, amount integer NOT NULL);
INSERT INTO payment SELECT i, i / 4, date '2020-01-01' + i % 300, i % 10 FROM generate_series(1, 2000) i;
CREATE TABLE price (year integer, league text, team text, kind text, amount integer NOT NULL, PRIMARY KEY (year, league, team, kind), FOREIGN KEY (year, league, team) REFERENCES teams);
INSERT INTO price SELECT year, league, team, 'seat', 10 FROM teams;
CREATE TABLE cost (id integer PRIMARY KEY, event_id integer NOT NULL, year integer NOT NULL, league text NOT NULL, team text NOT NULL, amount integer NOT NULL, FOREIGN KEY (year, league, team) REFERENCES teams);
INSERT INTO cost SELECT i, i / 2, year, league, team, i % 7 FROM generate_series(1, 1000) i, LATERAL (SELECT * FROM teams OFFSET i % 160 LIMIT 1) t;
SELECT s FROM dp_suggest_protection('t_season') s WHERE s ~ '(dp_protect|dp_declare_public)\(';
SELECT s FROM dp_suggest_protection('t_season', from_data => false) s WHERE s ~ 'payment''|cost''' AND s ~ 'dp_protect';
SELECT dp_suggest_protection('t_season') \gexec
SELECT count(*) FROM dp_create_synthetic('t_season', 't_season_made', 9, 1e-9, seed => 1);
SELECT count(*) FROM pg_constraint WHERE connamespace = 't_season_made'::regnamespace AND contype IN ('p', 'f') AND convalidated;
SELECT count(*) > 3000, count(DISTINCT year) > 15, bool_and(year BETWEEN 2001 AND 2020) FROM t_season_made.batting;

-- ---- a thousand keys, each of which has about three rows
CREATE TABLE shop (id integer PRIMARY KEY);
INSERT INTO shop SELECT generate_series(1, 1000);
CREATE TABLE sale (id integer PRIMARY KEY, player integer NOT NULL REFERENCES player, shop integer NOT NULL REFERENCES shop, UNIQUE (player, shop));
INSERT INTO sale SELECT i * 2 + k, i, 1 + (i * 7 + k * 13) % 1000 FROM generate_series(1, 1500) i, generate_series(0, 1) k;
SELECT dp_declare_public('shop'), dp_protect('sale', parent => 'player', max_rows_per_unit => 2);
SELECT count(DISTINCT shop) > 500 FROM dp_sample(NULL::sale, (SELECT dp_release('{player,sale}', 'mst', 1, 1e-9)), seed => 1);

DROP SCHEMA t_season, t_season_made CASCADE;
