-- a code that has no room for a number holds its constant default, and else a part of its name
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t94;
SET search_path = t94, public;
SET client_min_messages = error;
CREATE TABLE prices (
	id serial PRIMARY KEY,
	currency char(3) NOT NULL DEFAULT 'EUR',
	country varchar(2) NOT NULL,
	unit varchar(40) NOT NULL DEFAULT 'piece',
	amount integer NOT NULL CHECK (amount BETWEEN 0 AND 9));
INSERT INTO prices (currency, country, unit, amount) SELECT 'USD', 'XY', 'box', i % 10 FROM generate_series(1, 1000) i;
SELECT dp_protect('prices', 1000000);
CREATE TABLE drawn AS SELECT * FROM dp_synthesize_marginal(NULL::prices, 1000);
SELECT DISTINCT currency, length(country) BETWEEN 1 AND 2, unit LIKE 'unit %' FROM drawn;
DROP SCHEMA t94 CASCADE;
