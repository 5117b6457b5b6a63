-- Nothing of what an owner wrote runs with the rights of who compares, reads or draws rows: no cast,
-- CHECK, comparison or function that belongs to a type of the owner's. A superuser's rights are lowered
-- to the owner's where a view or a policy must run.
SET client_min_messages = error;
\pset null NULL
\pset format unaligned
\t on
\set VERBOSITY terse
\set SHOW_CONTEXT never
CREATE SCHEMA rights_types;
CREATE ROLE regress_dp_rights_owner;
CREATE ROLE regress_dp_rights_reader;
GRANT USAGE, CREATE ON SCHEMA rights_types TO regress_dp_rights_owner;
GRANT USAGE ON SCHEMA rights_types TO public;
SET search_path = rights_types, public;
SET SESSION AUTHORIZATION regress_dp_rights_owner;

-- whatever runs is counted: for its owner, or for somebody else; a sequence remembers what is rolled back
CREATE SEQUENCE as_owner;
CREATE SEQUENCE as_another;
GRANT USAGE ON SEQUENCE as_owner, as_another TO public;
CREATE FUNCTION ran() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_catalog.nextval(CASE WHEN current_user = 'regress_dp_rights_owner'
		THEN 'rights_types.as_owner' ELSE 'rights_types.as_another' END::pg_catalog.regclass);
	RETURN true;
END $$;
CREATE FUNCTION ran_as_another() RETURNS bigint LANGUAGE sql SET search_path = rights_types AS $$
	SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM as_another $$;
GRANT SELECT ON as_another, as_owner TO public;

CREATE TYPE grade AS ENUM ('low', 'mid', 'top');
CREATE TYPE other_grade AS ENUM ('low', 'mid', 'top');
-- a cast to everything that a statement might convert to, implicitly where that is allowed
CREATE FUNCTION make_casts(kind text, type text, how text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE FUNCTION to_it(v %1$s, OUT r %2$s) LANGUAGE plpgsql IMMUTABLE AS ''BEGIN PERFORM rights_types.ran(); END''', kind, type);
	EXECUTE format('CREATE CAST (%1$s AS %2$s) WITH FUNCTION to_it(%1$s) %3$s', kind, type, how);
	EXECUTE format('ALTER FUNCTION to_it(%1$s) RENAME TO %3$I', kind, type, 'cast_' || kind || ' to ' || type);
END $$;
SELECT make_casts('grade', t, 'AS ASSIGNMENT')
  FROM unnest('{text,json,jsonb,name,numeric,float8,bigint,integer,timestamp,date,varchar,boolean,"text[]",bytea}'::text[]) t;
SELECT make_casts('other_grade', t, 'AS IMPLICIT') FROM unnest('{integer,float8,"text[]",timestamp}'::text[]) t;
-- operators that fit better than PostgreSQL's own
CREATE FUNCTION compare(a grade, b grade) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN rights_types.ran(); END $$;
CREATE OPERATOR = (LEFTARG = grade, RIGHTARG = grade, FUNCTION = compare);
CREATE OPERATOR < (LEFTARG = grade, RIGHTARG = grade, FUNCTION = compare);
CREATE DOMAIN small_number AS integer CHECK (ran() AND value < 100);
CREATE DOMAIN some_grade AS grade CHECK (ran() IS NOT NULL);
CREATE TYPE pair AS (number small_number, of some_grade);
CREATE FUNCTION pair_text(pair) RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM rights_types.ran(); RETURN 'x'; END $$;
CREATE FUNCTION pair_json(pair) RETURNS json LANGUAGE plpgsql AS $$ BEGIN PERFORM rights_types.ran(); RETURN '1'; END $$;
CREATE CAST (pair AS text) WITH FUNCTION pair_text(pair) AS IMPLICIT;
CREATE CAST (pair AS json) WITH FUNCTION pair_json(pair) AS IMPLICIT;
CREATE FUNCTION apart(integer, integer) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM rights_types.ran(); RETURN $1 - $2; END $$;
CREATE TYPE span AS RANGE (SUBTYPE = integer, SUBTYPE_DIFF = apart);
CREATE TYPE domain_span AS RANGE (SUBTYPE = small_number);

CREATE TABLE people (id integer PRIMARY KEY, g grade NOT NULL, o other_grade NOT NULL, q small_number NOT NULL, s some_grade NOT NULL,
					 p pair, gs grade[], r span, d domain_span, sex text NOT NULL CHECK (sex IN ('f', 'm')), n integer CHECK (n BETWEEN 0 AND 9));
INSERT INTO people
SELECT i, g, w::other_grade, i % 5, g, (i % 5, g)::pair, ARRAY[g], span(i % 3, 5), domain_span(i % 3, 5), CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END, i % 10
  FROM (SELECT i, w, w::grade AS g FROM generate_series(1, 240) i, LATERAL (SELECT ('{low,mid,top}'::text[])[1 + i % 3]) v(w)) x;
CREATE TABLE visits (id integer PRIMARY KEY, person integer NOT NULL REFERENCES people, at grade NOT NULL, q small_number NOT NULL);
INSERT INTO visits SELECT i, 1 + i % 240, ('{low,mid,top}'::text[])[1 + i % 3]::grade, i % 7 FROM generate_series(1, 480) i;
CREATE TABLE people_synthetic (LIKE people);
INSERT INTO people_synthetic SELECT * FROM people;
CREATE TABLE visits_synthetic (LIKE visits);
INSERT INTO visits_synthetic SELECT * FROM visits;
-- another type under the name of a key, and of a number
CREATE TABLE visits_odd (id integer, person other_grade, at grade, q small_number);
CREATE TABLE people_odd (id integer, g text, o integer, q other_grade, s text, p text, gs text[], r text, d text, sex grade, n other_grade);
INSERT INTO people_odd (id, n, q, sex) VALUES (1, 'low', 'low', 'low');
INSERT INTO visits_odd VALUES (1, 'low', 'low', 1);
CREATE TABLE cells (attributes grade[], "values" grade[], count other_grade, variance other_grade);
INSERT INTO cells VALUES ('{low}', '{low}', 'low', 'low');
CREATE TABLE words (word grade, worth small_number);
INSERT INTO words VALUES ('low', 1), ('top', 2);
-- a view that calls a function, and an index whose constant is computed when a statement is planned
CREATE FUNCTION one() RETURNS integer LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM rights_types.ran(); RETURN 1; END $$;
CREATE FUNCTION seen(integer) RETURNS integer LANGUAGE plpgsql AS $$ BEGIN PERFORM rights_types.ran(); RETURN $1; END $$;
CREATE VIEW people_view AS SELECT seen(n) AS n, sex, g FROM people;
CREATE TABLE indexed AS SELECT n, sex, g FROM people;
CREATE INDEX ON indexed ((one() + n));
GRANT SELECT ON ALL TABLES IN SCHEMA rights_types TO public;
SET client_min_messages = error;
SELECT dp_protect('people', 1000, 0.1), dp_grant('people', 'regress_dp_rights_reader', 500, 0.05);
SELECT dp_define_column('people', 'q', bins => '{0,2,5}'), dp_define_column('people', 'p', fill => '{null}'),
	   dp_define_column('people', 'd', fill => '{null}'), dp_define_column('people', 'gs', open => true);
SELECT dp_protect('visits', parent => 'people', max_rows_per_unit => 2);
SELECT last_value > 10 AS owner_ran, ran_as_another() FROM as_owner;
RESET SESSION AUTHORIZATION;

-- ---- somebody who may read, and then a superuser --------------------------------------------------
-- the number after each result is how often code of the owner's ran as somebody else
CREATE TABLE tried (statement text);
INSERT INTO tried VALUES
	('SELECT count(*) > 0 FROM dp_evaluate(''rights_types.people'', ''rights_types.people_synthetic'')'),
	('SELECT count(*) > 0 FROM dp_evaluate(''rights_types.people''::regclass, ''rights_types.people_odd'')'),
	('SELECT count(*) > 0 FROM dp_evaluate(''{rights_types.people,rights_types.visits}'', ''{rights_types.people_synthetic,rights_types.visits_synthetic}'')'),
	('SELECT count(*) > 0 FROM dp_evaluate(''{rights_types.people,rights_types.visits}'', ''{rights_types.people_synthetic,rights_types.visits_odd}'')'),
	('SELECT count(*) > 0 FROM dp_evaluate_risk(''rights_types.people'', ''rights_types.people_synthetic'', ''{g,q,p,gs,r,d}'', ''s'')'),
	('SELECT count(*) > 0 FROM dp_evaluate_risk(''rights_types.people'', ''rights_types.people_odd'', ''{n}'', ''sex'')'),
	('SELECT count(*) > 0 FROM dp_propensity(''rights_types.people'', ''rights_types.people_synthetic'')'),
	('SELECT count(*) > 0 FROM dp_compare_regression(''rights_types.people'', ''rights_types.people_synthetic'', ''n'', ''{g,o,q,s}'')'),
	('SELECT count(*) > 0 FROM dp_compare_regression(''rights_types.people'', ''rights_types.people_synthetic'', ''g'', ''{n}'', event => ''low'')'),
	('SELECT count(*) > 0 FROM dp_compare_regression(''rights_types.people'', ''rights_types.people_synthetic'', ''n'', ''{p,r,gs,d}'')'),
	('SELECT count(*) > 0 FROM dp_compare_regression(''rights_types.people'', ''rights_types.people_odd'', ''n'', ''{g,q}'')'),
	('SELECT count(*) > 0 FROM dp_compare_regression(''rights_types.people'', ''{rights_types.people_synthetic,rights_types.people_synthetic}'', ''n'', ''{g,s}'')'),
	('SELECT length(dp_report(''rights_types.people'', ''rights_types.people_synthetic'', ''{"outcome": "n", "predictors": ["g"], "propensity": true, "known": ["g","o"], "secret": "s"}'')) > 1000'),
	('SELECT length(dp_report(''{rights_types.people,rights_types.visits}'', ''{rights_types.people_synthetic,rights_types.visits_synthetic}'')) > 1000'),
	('SELECT length(dp_report(''rights_types.people'', ''rights_types.people_odd'')) > 1000'),
	('SELECT count(*) > 0 FROM dp_baseline(NULL::rights_types.people, ''gibbs'', 10)'),
	('SELECT count(*) > 0 FROM dp_baseline(NULL::rights_types.people, ''multiple_imputation'', 10)'),
	('SELECT count(*) > 0 FROM dp_fit_marginals(NULL::rights_types.people, ''rights_types.cells''::regclass)'),
	('SELECT count(*) > 0 FROM dp_fit_marginals(NULL::rights_types.people, ARRAY[(''{g}'', ''{low}'', 3, 1), (''{q}'', ''{1}'', 3, 1), (''{s}'', ''{low}'', 3, 1), (''{p}'', ''{"(1,low)"}'', 3, 1)]::dp_noisy_counts[], 5)'),
	('SELECT count(*) > 0 FROM dp_fit_marginals(NULL::rights_types.people, ARRAY[(''{g}'', ''{low}'', 3, 1), (''{q}'', ''{1}'', 3, 1)]::dp_noisy_counts[], 5)'),
	('SELECT count(*) > 0 FROM dp_histogram(''rights_types.people'', ''{sex}'', 0.1, domain => ''{"table": "rights_types.words", "column": "word"}'')'),
	('SELECT count(*) > 0 FROM dp_histogram(''rights_types.people'', ''{g}'', 50)'),
	('SELECT count(*) > 0 FROM dp_query(''rights_types.people'', ''{count(*),avg(q)}'', 0.1, ''{g}'', ''{"s": ["low","mid"]}'')'),
	('SELECT dp_release(''rights_types.people'', ''pegs'', 0.1, 0, ''{"rows": 5, "columns": ["sex","g"], "seed_pool": "rights_types.people_synthetic"}'') > 0'),
	('SELECT count(*) > 0 FROM dp_columns'),
	('SELECT count(*) > 0 FROM dp_explain(''rights_types.people'', ''mst'', 1, 0.001)'),
	('SELECT count(*) > 0 FROM dp_synthesize_mst(NULL::rights_types.people, 1, 0.001, columns => ''{g,o,q,s,sex,n}'', rows => 20)'),
	('SELECT count(*) > 0 FROM dp_synthesize(''rights_types.people''::text, 1, 0.001, 20, ''mst'', ''{"columns": ["g","s","sex"], "partial": true}'') AS v(g rights_types.grade, s rights_types.some_grade)'),
	('SELECT count(c.g) FROM (SELECT max(release) AS r FROM dp_releases WHERE method = ''mst'') r, (SELECT * FROM rights_types.people LIMIT 9) who, dp_impute(who::rights_types.people, r.r, 1) c'),
	('SELECT count(*) > 0 FROM (SELECT max(release) AS r FROM dp_releases WHERE method = ''mst'') r, dp_answer(r.r, ''{g,sex}'', ''{"s": "low"}'')'),
	('SELECT count(*) > 0 FROM (SELECT max(release) AS r FROM dp_releases WHERE method = ''mst'') r, dp_sample(NULL::rights_types.people, r.r, 10, 1, given => ''{"g": "low"}'')'),
	('SELECT count(*) > 0 FROM (SELECT max(release) AS r FROM dp_releases WHERE method = ''mst'') r, dp_release_cells(r.r)'),
	('SELECT length(dp_report(max(release))) > 1000 FROM dp_releases WHERE method = ''mst'''),
	('SELECT count(*) > 0 FROM dp_cells((SELECT dp_marginals(dp_marginal_spec(''rights_types.people'', columns => ''{g,o,q,s}''), g, o, q, s) FROM rights_types.people))'),
	('SELECT count(*) > 0 FROM (SELECT max(release) AS r FROM dp_releases WHERE method = ''mst'') r, dp_error(r.r)'),
	('SELECT count(dp_catalog.dp_attribute_sets(g)) FROM rights_types.people');
-- what only a custodian does
CREATE TABLE done AS SELECT * FROM (VALUES
	('SELECT count(*) > 0 FROM dp_suggest_columns(''rights_types.people'')'),
	('SELECT count(*) > 0 FROM dp_suggest_columns(''rights_types.visits'')'),
	('SELECT count(*) > 0 FROM dp_suggest_columns(''rights_types.words'')'),
	('SELECT dp_define_column(''rights_types.people'', ''s'', categories => ''{low,mid,top}'', complete => true)'),
	('SELECT dp_define_column(''rights_types.people'', ''q'', bins => ''{0,3,5}'')'),
	('SELECT dp_define_cells(''rights_types.people'', ''{g,s}'', ''{{low,mid}}'')'),
	('SELECT dp_define_cells(''rights_types.people'', ''{q}'', ''{{1},{4}}'', ''{10,20}'')'),
	('SELECT dp_define_hierarchy(''rights_types.people'', ''s'', paths => ''{{low,x},{mid,x},{top,y}}'')'),
	('SELECT count(*) > 0 FROM dp_create_synthetic(''{rights_types.people,rights_types.visits}'', ''rights_types_made'', 1, 0.001)'),
	-- a function of a view, and an expression of an index that is computed when a statement is planned
	('SELECT count(*) > 0 FROM dp_evaluate(''rights_types.people_view'', ''rights_types.people_view'')'),
	('SELECT count(*) > 0 FROM dp_evaluate(''rights_types.indexed'', ''rights_types.indexed'')'),
	('SELECT count(*) > 0 FROM dp_evaluate_risk(''rights_types.people_view'', ''rights_types.indexed'', ''{n}'', ''sex'')'),
	('SELECT count(*) > 0 FROM dp_propensity(''rights_types.people_view'', ''rights_types.indexed'')'),
	('SELECT count(*) > 0 FROM dp_compare_regression(''rights_types.people_view'', ''rights_types.indexed'', ''n'', ''{g,sex}'')'),
	('SELECT length(dp_report(''rights_types.people_view'', ''rights_types.indexed'')) > 1000'),
	('SELECT length(dp_report(''rights_types.people_view'', ''rights_types.mine'')) > 1000'),
	('SELECT count(*) > 0 FROM dp_evaluate(''rights_types.people_view'', ''rights_types.mine'')'),
	('SELECT count(*) > 0 FROM dp_baseline(NULL::rights_types.people_view, ''marginal'', 5)'),
	('SELECT count(*) > 0 FROM dp_suggest_columns(''rights_types.people_view'')'),
	('SELECT count(*) > 0 FROM dp_suggest_columns(''rights_types.indexed'')')) v (statement);
CREATE SCHEMA rights_types_made;
CREATE TABLE mine AS SELECT n, sex, g FROM people;
GRANT SELECT ON tried TO public;
CREATE FUNCTION try_all(source regclass) RETURNS TABLE (result text, ran bigint, tried text) LANGUAGE plpgsql AS $$
DECLARE
	before bigint;
BEGIN
	FOR tried IN EXECUTE pg_catalog.format('SELECT statement FROM %s', source) LOOP
		before := rights_types.ran_as_another();
		BEGIN
			EXECUTE tried INTO result;
		EXCEPTION WHEN OTHERS THEN
			result := SQLSTATE || ' ' || SQLERRM;
		END;
		ran := rights_types.ran_as_another() - before;
		RETURN NEXT;
	END LOOP;
END $$;
SET SESSION AUTHORIZATION regress_dp_rights_reader;
-- that it would be seen
SELECT count(g::text), ran_as_another() > 0 AS seen FROM people;
SELECT * FROM try_all('tried');
RESET SESSION AUTHORIZATION;
SELECT * FROM try_all('tried');
SELECT * FROM try_all('done');

SET client_min_messages = error;
DROP SCHEMA rights_types, rights_types_made CASCADE;
DROP OWNED BY regress_dp_rights_owner, regress_dp_rights_reader;
DROP ROLE regress_dp_rights_owner, regress_dp_rights_reader;
