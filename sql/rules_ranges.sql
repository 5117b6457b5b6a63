-- what rules say of whole ranges, of decimals, and of operators that only look like arithmetic
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t80;
SET search_path = t80, public;
SET client_min_messages = error;

-- a rule that contradicts ranges is known before their bins are found
CREATE TABLE apart (a int NOT NULL, b int NOT NULL, CONSTRAINT far CHECK (b > a + 100));
INSERT INTO apart SELECT i % 10, 200 FROM generate_series(1, 100) i;
SELECT dp_protect('apart', 1000000, 0.1);
SELECT dp_define_column('apart', 'a', range => '{0,9}'), dp_define_column('apart', 'b', range => '{0,50}');
SELECT dp_release('apart', 'mst', 1, 1e-9);
CREATE TABLE apart_too (a int CHECK (a BETWEEN 0 AND 9), b int NOT NULL CHECK (b BETWEEN 0 AND 50), CONSTRAINT far CHECK (b > a + 100 OR b < a - 10));
INSERT INTO apart_too SELECT NULL, i FROM generate_series(1, 50) i;
SELECT dp_protect('apart_too', 1000000, 0.1);
-- not where one of them can be NULL
SELECT count(*) > 0 FROM dp_explain('apart_too', 'mst', 1, 1e-9);
TRUNCATE apart_too;
ALTER TABLE apart_too ALTER a SET NOT NULL;
SELECT dp_release('apart_too', 'mst', 1, 1e-9);
SELECT sum(epsilon_spent) FROM dp_datasets WHERE relation IN ('apart'::regclass, 'apart_too'::regclass);

-- an operator has the meaning of its function, whatever its name is
CREATE OPERATOR t80.+ (LEFTARG = int4, RIGHTARG = int4, FUNCTION = int4mi);
CREATE OPERATOR t80.< (LEFTARG = int4, RIGHTARG = int4, FUNCTION = int4gt);
CREATE TABLE minus (a int NOT NULL, b int NOT NULL, CHECK ((a OPERATOR(t80.+) b) <= 9), CHECK (a OPERATOR(t80.<) -1));
INSERT INTO minus SELECT i % 10, 6 FROM generate_series(1, 500) i;
SELECT dp_protect('minus', 1000000, 0.1);
SELECT dp_define_column('minus', 'a', categories => '{0,1,2,3,4,5,6,7,8,9}'), dp_define_column('minus', 'b', bins => '{0,6,7,12}');
SELECT dp_release('minus', 'mst', 100000, 0.09) AS r \gset
SELECT count(*) > 100 FROM dp_sample(NULL::minus, :r, 500, 1) WHERE a >= 6 AND b >= 6;

-- coefficients that no double holds: what keeps the rule is no zero
CREATE TABLE decimals (a int NOT NULL, b numeric(12,4) NOT NULL, CONSTRAINT product CHECK (b = a * 0.07 * 0.20 * 0.55));
INSERT INTO decimals SELECT 498550248, 3838836.9096 FROM generate_series(1, 100);
SELECT dp_protect('decimals', 1000000, 0.1);
SELECT dp_define_column('decimals', 'a', bins => '{498550248,498550249}'), dp_define_column('decimals', 'b', bins => '{3838836.9096,3838836.9097}');
SELECT count(*) > 0 FROM dp_explain('decimals', 'mst', 1, 1e-9);
DROP SCHEMA t80 CASCADE;
