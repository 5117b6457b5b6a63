-- Comparing arrays of a type, and the least of two, call what the operator class of the type names.
-- Whoever owns that function may replace it: so no rule over such values is evaluated by others.
\set VERBOSITY terse
SET client_min_messages = error;
CREATE ROLE dpt_comparer;
CREATE SCHEMA t_compared;
GRANT USAGE, CREATE ON SCHEMA t_compared TO dpt_comparer;
SET search_path = t_compared, public;
CREATE TYPE word;
CREATE FUNCTION word_in(cstring) RETURNS word LANGUAGE internal IMMUTABLE STRICT AS 'textin';
CREATE FUNCTION word_out(word) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'textout';
CREATE TYPE word (INPUT = word_in, OUTPUT = word_out, LIKE = text);
CREATE FUNCTION word_lt(word, word) RETURNS boolean LANGUAGE internal IMMUTABLE AS 'text_lt';
CREATE FUNCTION word_eq(word, word) RETURNS boolean LANGUAGE plpgsql IMMUTABLE
	AS 'BEGIN RAISE WARNING ''word_eq is called by %'', current_user; RETURN $1::text = $2::text; END';
CREATE FUNCTION word_cmp(word, word) RETURNS integer LANGUAGE plpgsql IMMUTABLE
	AS 'BEGIN RAISE WARNING ''word_cmp is called by %'', current_user; RETURN bttextcmp($1::text, $2::text); END';
ALTER FUNCTION word_eq OWNER TO dpt_comparer;
ALTER FUNCTION word_cmp OWNER TO dpt_comparer;
CREATE OPERATOR = (LEFTARG = word, RIGHTARG = word, FUNCTION = word_eq, COMMUTATOR = =);
CREATE OPERATOR < (LEFTARG = word, RIGHTARG = word, FUNCTION = word_lt);
CREATE OPERATOR CLASS word_ops DEFAULT FOR TYPE word USING btree AS OPERATOR 1 <, OPERATOR 3 =, FUNCTION 1 word_cmp(word, word);
CREATE TABLE compared (a word[] NOT NULL, b word NOT NULL, g integer NOT NULL);
ALTER TABLE compared ADD CHECK (a = '{x}'::word[] OR g = 1), ADD CHECK (least(b, 'z'::word) IS NOT NULL OR g = 1),
	ADD CHECK (array_position(a, 'x'::word) = 1);
INSERT INTO compared SELECT '{x}', 'q', i % 3 FROM generate_series(1, 500) i;
ALTER TABLE compared OWNER TO dpt_comparer;
SELECT dp_protect('compared', 10000);
SELECT dp_define_column('compared', 'a', categories => '{"{x}"}', complete => true);
SELECT dp_define_column('compared', 'b', categories => '{q,r}', complete => true);
SELECT dp_define_column('compared', 'g', categories => '{0,1,2}', complete => true);
-- warnings would say that somebody else's function ran
SET client_min_messages = notice;
SELECT dp_release('compared'::regclass, 'marginal', 300) IS NOT NULL AS released;
SELECT count(*) FROM dp_sample(NULL::compared, (SELECT max(release) FROM dp_releases), 50, seed => 1);
SET client_min_messages = error;
DROP SCHEMA t_compared CASCADE;
DROP ROLE dpt_comparer;
