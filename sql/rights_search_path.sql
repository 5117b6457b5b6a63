-- Nothing that dpsyn runs is found by the search_path of who calls: not an operator, a function, a
-- type or a relation. What the caller names is.
SET client_min_messages = error;
\pset null NULL
\pset format unaligned
\t on
\set VERBOSITY terse
\set SHOW_CONTEXT never

-- ---- every function of the extension in SQL or PL/pgSQL ------------------------------------------
-- has its path pinned, or was analyzed when it was made; or it is polymorphic, which a function that is
-- analyzed cannot be, and is one SELECT of calls with schemas (script/check-search-path)
CREATE TEMP VIEW own_functions AS
	SELECT p.* FROM pg_depend d JOIN pg_proc p ON p.oid = d.objid
	 WHERE d.classid = 'pg_proc'::regclass AND d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass
	   AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dpsyn');
SELECT p.oid::regprocedure
  FROM own_functions p JOIN pg_language l ON l.oid = p.prolang
 WHERE l.lanname NOT IN ('c', 'internal') AND p.prosqlbody IS NULL
   AND 'search_path=pg_catalog, pg_temp' <> ALL (coalesce(p.proconfig, '{}'))
   AND NOT (l.lanname = 'sql' AND EXISTS (SELECT FROM unnest(p.proargtypes) a JOIN pg_type t ON t.oid = a WHERE t.typtype = 'p')
			AND p.prosrc ~ '^\s*SELECT [*a-z., _]+\s+FROM (public|dp_catalog)\.dp_\w+\(');
SELECT p.oid::regprocedure FROM own_functions p
 WHERE p.prosecdef AND 'search_path=pg_catalog, pg_temp' <> ALL (coalesce(p.proconfig, '{}'));
SELECT count(*) > 30 AS looked_at FROM own_functions p WHERE p.proconfig IS NOT NULL;

-- ---- a schema that stands before all others -------------------------------------------------------
CREATE SCHEMA rights_path;
CREATE SCHEMA attack;
CREATE ROLE regress_dp_path_owner;
CREATE ROLE regress_dp_path_analyst;
GRANT USAGE, CREATE ON SCHEMA rights_path TO regress_dp_path_owner;
GRANT USAGE, CREATE ON SCHEMA rights_path TO regress_dp_path_analyst;
CREATE SCHEMA rights_path_made AUTHORIZATION regress_dp_path_analyst;
CREATE SCHEMA rights_path_made_too AUTHORIZATION regress_dp_path_analyst;
CREATE SCHEMA rights_path_made_both AUTHORIZATION regress_dp_path_analyst;
GRANT USAGE ON SCHEMA attack TO public;
CREATE SEQUENCE attack.ran;
GRANT ALL ON SEQUENCE attack.ran TO public;
-- what runs is told, and counted by a sequence, which nothing rolls back
CREATE FUNCTION attack.note(what pg_catalog.text) RETURNS pg_catalog.void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	PERFORM nextval('attack.ran');
	RAISE WARNING 'found by the path: %', what;
END $$;

-- every function of PostgreSQL with arguments that can be written, and those that take any type for a
-- few of them; every operator, and more that fit better than PostgreSQL's own
CREATE FUNCTION attack.shadow(name name, arguments text, result text) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	EXECUTE format('CREATE FUNCTION attack.%I(%s) RETURNS %s LANGUAGE plpgsql AS %L', name, arguments, result,
		format('BEGIN PERFORM attack.note(%L); RETURN%s; END', name || '(' || arguments || ')',
			   CASE WHEN result = 'void' OR result LIKE 'SETOF%' THEN '' ELSE ' NULL' END));
EXCEPTION WHEN OTHERS THEN
	NULL; -- of a type that cannot be written, or there already
END $$;
SELECT count(*) > 2000 AS wanted FROM (
	SELECT attack.shadow(p.proname, (SELECT string_agg(format_type(a, NULL), ', ' ORDER BY n) FROM unnest(p.proargtypes) WITH ORDINALITY u(a, n)),
						 CASE WHEN p.proretset THEN 'SETOF ' ELSE '' END || format_type(p.prorettype, NULL))
	  FROM pg_proc p
	 WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind IN ('f', 'a', 'w') AND p.pronargs BETWEEN 1 AND 4
	   AND p.provariadic = 0 AND p.proargmodes IS NULL
	   AND NOT EXISTS (SELECT FROM unnest(p.proargtypes::oid[] || p.prorettype) a JOIN pg_type t ON t.oid = a
						WHERE t.typtype = 'p' AND a NOT IN ('anyelement'::regtype, 'anyarray'::regtype, 'anyenum'::regtype, 'record'::regtype))) made;
SELECT count(attack.shadow(name, arguments, result)) > 70 AS wanted
  FROM (VALUES ('format', 'text'), ('concat', 'text'), ('concat_ws', 'text'), ('jsonb_build_object', 'jsonb'), ('json_build_object', 'json'),
			   ('jsonb_build_array', 'jsonb'), ('num_nonnulls', 'integer'), ('count', 'bigint')) f(name, result),
	   unnest('{text,"text, text","text, name","text, text, text","text, name, text","text, name, name","text, text[]","text, regclass",
				"text, numeric, text, numeric, text, numeric","text, date, text, date, text, integer","text, text, text, integer, text, integer"}'::text[]) arguments;
CREATE FUNCTION attack.shadow_operator(name text, arg_left text, arg_right text, result text) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	body text := format('BEGIN PERFORM attack.note(%L); RETURN NULL; END', concat_ws(' ', arg_left, name, arg_right));
	function text := format('attack.o%s', md5(concat_ws(' ', arg_left, name, arg_right)));
BEGIN
	EXECUTE format('CREATE FUNCTION %s(%s) RETURNS %s LANGUAGE plpgsql AS %L', function, concat_ws(', ', arg_left, arg_right), result, body);
	EXECUTE format('CREATE OPERATOR attack.%s (%s FUNCTION = %s)', name, concat('LEFTARG = ' || arg_left || ', ', 'RIGHTARG = ' || arg_right || ', '), function);
EXCEPTION WHEN OTHERS THEN
	NULL;
END $$;
SELECT count(*) > 500 AS wanted FROM (
	SELECT attack.shadow_operator(o.oprname, nullif(o.oprleft, 0)::regtype::text, o.oprright::regtype::text, o.oprresult::regtype::text)
	  FROM pg_operator o WHERE o.oprnamespace = 'pg_catalog'::regnamespace
	   AND NOT EXISTS (SELECT FROM pg_type t WHERE t.typtype = 'p' AND t.oid IN (o.oprleft, o.oprright, o.oprresult))) made;
SELECT count(attack.shadow_operator(o, l, r, CASE o WHEN '||' THEN 'text' WHEN '->' THEN 'jsonb' WHEN '->>' THEN 'text' ELSE 'boolean' END)) > 1000 AS wanted
  FROM unnest('{=,<>,<,<=,>,>=,||,~,~~,->,->>,?}'::text[]) o,
	   unnest('{text,name,name[],text[],integer,bigint,numeric,float8,jsonb,boolean,oid,regclass,"\"char\""}'::text[]) l,
	   unnest('{text,name,name[],text[],integer,bigint,numeric,float8,jsonb,boolean,oid,regclass,"\"char\""}'::text[]) r;
SELECT (SELECT count(*) FROM pg_proc WHERE pronamespace = 'attack'::regnamespace) > 4000 AS functions,
	   (SELECT count(*) FROM pg_operator WHERE oprnamespace = 'attack'::regnamespace) > 2000 AS operators;
-- types, and relations of PostgreSQL's and of dpsyn's names
CREATE FUNCTION attack.touched(what pg_catalog.text) RETURNS pg_catalog.bool LANGUAGE plpgsql AS $$ BEGIN PERFORM attack.note(what); RETURN true; END $$;
SELECT format('CREATE DOMAIN attack."%s" AS pg_catalog."%1$s" CHECK (attack.touched(%2$L))', t, 'type ' || t)
  FROM unnest('{text,name,jsonb,json,oid,regclass,regtype,regrole,float8,float4,int2,int4,int8,bool,date,timestamptz,bytea}'::text[]) t \gexec
SELECT format('CREATE VIEW attack.%I AS SELECT attack.touched(%L) AS attname, 1 AS oid', c, 'relation ' || c)
  FROM unnest('{pg_class,pg_attribute,pg_type,pg_constraint,pg_namespace,pg_index,pg_depend,pg_roles,dp_columns,dp_datasets,dp_methods,dp_releases,dp_ledger,dp_dataset}'::text[]) c \gexec
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA attack TO public;
GRANT SELECT ON ALL TABLES IN SCHEMA attack TO public;

-- the scene
SET search_path = rights_path, public;
SET SESSION AUTHORIZATION regress_dp_path_owner;
CREATE TABLE patients (id integer PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('f', 'm')), age integer NOT NULL CHECK (age BETWEEN 0 AND 99), born date NOT NULL, seen date NOT NULL, note text);
INSERT INTO patients SELECT i, CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END, i % 60, DATE '2000-01-01' + i, DATE '2000-01-03' + i, 'n' || i % 3 FROM generate_series(1, 300) i;
CREATE TABLE visits (id integer PRIMARY KEY, patient integer NOT NULL REFERENCES patients, ward text NOT NULL CHECK (ward IN ('a', 'b')));
INSERT INTO visits SELECT i, 1 + i % 300, CASE WHEN i % 3 = 0 THEN 'a' ELSE 'b' END FROM generate_series(1, 500) i;
CREATE TABLE patients_synthetic (LIKE patients);
INSERT INTO patients_synthetic SELECT * FROM patients;
CREATE TABLE visits_synthetic (LIKE visits);
INSERT INTO visits_synthetic SELECT * FROM visits;
CREATE TABLE words (word text);
INSERT INTO words VALUES ('n0'), ('n1'), ('n2');
CREATE TABLE published (attributes text[], "values" text[], count float8, variance float8);
INSERT INTO published VALUES ('{sex}', '{f}', 5, 1), ('{sex}', '{m}', 5, 1);
GRANT SELECT ON ALL TABLES IN SCHEMA rights_path TO public;
RESET SESSION AUTHORIZATION;
CREATE TEMP TABLE pg_class (oid pg_catalog.oid, relname pg_catalog.name);
CREATE TEMP TABLE pg_attribute (attrelid pg_catalog.oid);

-- what is called: names as the caller finds them, everything else whatever the path is
CREATE TABLE attack.calls (place integer GENERATED ALWAYS AS IDENTITY, role pg_catalog.text, call pg_catalog.text);
INSERT INTO attack.calls (role, call) VALUES
	('owner', 'public.dp_protect(''patients'', 1000, 0.1)'),
	('owner', 'public.dp_protect(''visits'', parent => ''patients'', max_rows_per_unit => 3)'),
	('owner', 'public.dp_grant(''patients'', ''regress_dp_path_analyst'', 500, 0.05)'),
	('owner', 'public.dp_suggest_columns(''patients'')'),
	('owner', 'public.dp_suggest_columns(''visits'', false)'),
	('owner', 'public.dp_define_column(''patients'', ''note'', categories => ''{n0,n1,n2}'')'),
	('owner', 'public.dp_define_cells(''patients'', ''{sex,note}'', ''{{f,n2}}'')'),
	('owner', 'public.dp_define_cells(''patients'', ''{}'', ''{}'')'),
	('owner', 'public.dp_define_column(''patients'', ''note'', open => true, domain => ''{"table": "words", "column": "word"}'')'),
	('owner', 'public.dp_define_column(''patients'', ''born'', range => ''{2000-01-01,2001-01-01}'')'),
	('owner', 'public.dp_define_column(''patients'', ''seen'', range => ''{0,7}'', offset_of => ''born'')'),
	('owner', 'public.dp_define_cells(''patients'', ''{sex}'', ''{{f},{m}}'', ''{5,5}'')'),
	('owner', 'public.dp_define_cells(''patients'', ''{}'', ''{}'', ''{}'')'),
	('owner', 'public.dp_define_hierarchy(''visits'', ''ward'', ''{{a,x},{b,x}}'')'),
	('owner', 'public.dp_define_hierarchy(''visits'', NULL, ''{}'')'),
	('owner', 'public.dp_alter_protection(''patients'', 2000, 0.1)'),
	('owner', 'public.dp_alter_protection(''patients'', max_epsilon_per_release => 100)'),
	('owner', 'public.dp_alter_protection(''patients'', min_epsilon_per_release => 0.001)'),
	('owner', 'public.dp_alter_protection(''patients'', no_false_positives => 0.9)'),
	('owner', 'public.dp_alter_protection(''patients'', alerts => ''{0.9}'')'),
	('owner', 'public.dp_alter_protection(''patients'', alerts => ''{}'')'),
	('owner', 'public.dp_alter_protection(''patients'', refresh_every => ''0'')'),
	('owner', 'public.dp_reconcile(''patients'', 0)'),
	('owner', 'public.dp_refund(1, ''none'')'),
	('analyst', '* FROM public.dp_columns'),
	('analyst', '* FROM public.dp_datasets'),
	('analyst', '* FROM public.dp_budgets'),
	('analyst', '* FROM public.dp_methods'),
	('analyst', '* FROM public.dp_running'),
	('analyst', '* FROM public.dp_declared_cells'),
	('analyst', 'dp_catalog.dp_column_domains(''patients'')'),
	('analyst', 'dp_catalog.dp_on_grid(5, ''{0,10}'')'),
	('analyst', 'dp_catalog.dp_attribute_sets(2), dp_catalog.dp_attribute_sets(''{a,b}''::pg_catalog.text), dp_catalog.dp_attribute_sets(''[["a"]]''::pg_catalog.jsonb)'),
	('analyst', 'public.dp_evaluate_risk(1), public.dp_error(''{1,2}'', 1, 0.01), public.dp_cancel(1)'),
	('analyst', 'public.dp_combine_estimates(''{1,2}'', ''{1,1}''), public.dp_combine_chi_square(''{1,2}'', 1)'),
	('analyst', 'public.dp_explain(''patients'', ''mst'', 1, 0.001)'),
	('analyst', 'public.dp_explain(''{patients,visits}'', ''mst'', 1, 0.001)'),
	('analyst', 'public.dp_explain(''{patients,visits}''::pg_catalog.text, ''mst'', 1, 0.001)'),
	('analyst', 'public.dp_release(''patients''::pg_catalog.text, ''sbhg'', 1, 0.001)'),
	('analyst', 'public.dp_release(''{patients,visits}'', ''mst'', 1, 0.001)'),
	('analyst', '* FROM public.dp_sample(NULL::visits, $mst, 10, 1)'),
	('analyst', 'public.dp_answer($mst, ''{ward}'', relation => ''visits'')'),
	('analyst', 'pg_catalog.length(public.dp_report($mst))'),
	('analyst', 'public.dp_release(''patients''::pg_catalog.regclass, ''mst'', 1, 0.001)'),
	('analyst', 'public.dp_sample(NULL::patients, $mst, 10, 1)'),
	('analyst', '* FROM public.dp_sample(NULL::patients, $mst, 10, 1, given => ''{"sex": "f"}'')'),
	('analyst', '* FROM public.dp_sample(''patients''::pg_catalog.text, $mst, 10, 1) AS v(sex pg_catalog.text)'),
	('analyst', 'public.dp_impute(p, $mst, 1) FROM (SELECT * FROM patients LIMIT 3) p'),
	('analyst', 'public.dp_answer($mst, ''{sex}'', ''{"age": [1, 9]}'')'),
	('analyst', 'public.dp_error($mst)'),
	('analyst', 'public.dp_trace($sbhg)'),
	('analyst', 'public.dp_release_tables($mst), public.dp_release_cells($mst)'),
	('analyst', 'pg_catalog.length(public.dp_report($mst))'),
	('analyst', 'public.dp_grant($mst, ''regress_dp_path_owner'')'),
	('analyst', '* FROM public.dp_query(NULL::patients, ''{count(*),avg(age)}'', 1, ''{sex}'', ''{"age": [1, 50]}'')'),
	('analyst', '* FROM public.dp_query(''patients''::pg_catalog.text, ''{count(*)}'', 1)'),
	('analyst', '* FROM public.dp_histogram(NULL::patients, ''{note}'', 1, domain => ''{"table": "words", "column": "word"}'')'),
	('analyst', '* FROM public.dp_histogram(''patients''::pg_catalog.text, ''{sex}'', 1)'),
	('analyst', 'public.dp_query($query)'),
	('analyst', 'pg_catalog.length(public.dp_report($query))'),
	('analyst', 'public.dp_histogram($histogram)'),
	('analyst', '* FROM public.dp_synthesize(NULL::patients, 1, 0.001, 10)'),
	('analyst', '* FROM public.dp_synthesize(''patients''::pg_catalog.text, 1, 0.001, 10) AS v(sex pg_catalog.text)'),
	('analyst', '* FROM public.dp_synthesize(NULL::patients, 1, 0.001, 10, ''flat'', ''{"columns": ["sex"], "partial": true}'')'),
	('analyst', '* FROM public.dp_synthesize_sba(NULL::patients, 1, 0.001, 10)'),
	('analyst', '* FROM public.dp_synthesize_sbhg(NULL::patients, 1, 0.001, 10, 2)'),
	('analyst', '* FROM public.dp_synthesize_steps(NULL::patients, 1, 0.001, 10)'),
	('analyst', '* FROM public.dp_synthesize_uh(NULL::patients, 1, 0.001, 10)'),
	('analyst', '* FROM public.dp_synthesize_flat(NULL::patients, 1, 0.001, 10, columns => ''{sex,note}'', partial => true)'),
	('analyst', '* FROM public.dp_synthesize_privbayes(NULL::patients, 1, 0.001, 10)'),
	('analyst', '* FROM public.dp_synthesize_cipher(NULL::patients, 1, 0.001, 10, 2, columns => ''{sex,note}'', partial => true)'),
	('analyst', '* FROM public.dp_synthesize_mwem(NULL::patients, 1, 0.001, 10, 2, columns => ''{sex,note}'', partial => true)'),
	('analyst', '* FROM public.dp_synthesize_mst(NULL::patients, 1, 0.001, 10)'),
	('analyst', '* FROM public.dp_synthesize_aim(NULL::patients, 1, 0.001, 10, ''{"sex,note"}''::pg_catalog.text)'),
	('analyst', '* FROM public.dp_synthesize_marginal(NULL::patients, 1, 0.001, 10, ''bootstrap'')'),
	('analyst', '* FROM public.dp_synthesize_cathist(NULL::patients, 1, 0.001, 10, ''{"note": {"table": "words", "column": "word"}}'', columns => ''{note,sex}'', partial => true)'),
	('analyst', '* FROM public.dp_synthesize_pegs(NULL::patients, 1, 0.001, 10)'),
	('analyst', '* FROM public.dp_synthesize_pmi(NULL::patients, 1, 0.001, 10, columns => ''{sex,note}'', partial => true)'),
	('owner', '* FROM public.dp_synthesize_pegs_ldiversity(NULL::patients, 10, columns => ''{sex}'', partial => true, l => 1.5)'),
	('analyst', '* FROM public.dp_create_synthetic(''patients''::pg_catalog.text, ''rights_path_made'', 1, 0.001)'),
	('analyst', '* FROM public.dp_create_synthetic(''patients''::pg_catalog.regclass, ''rights_path_made_too'', 1, 0.001)'),
	('analyst', '* FROM public.dp_create_synthetic(''{patients,visits}'', ''rights_path_made_both'', 1, 0.001)'),
	('analyst', 'public.dp_fit_marginals(NULL::patients, ''published''::pg_catalog.regclass, 5)'),
	('analyst', 'public.dp_fit_marginals(NULL::patients, ARRAY[ROW(''{sex}'', ''{f}'', 3, 1)::public.dp_noisy_counts], 5)'),
	('analyst', '* FROM public.dp_cells((SELECT public.dp_merge(m) FROM (SELECT public.dp_marginals(public.dp_marginal_spec(''patients'', columns => ''{sex}'', ways => 1), sex) AS m FROM patients) x))'),
	('analyst', 'dp_catalog.dp_sets(public.dp_marginals(public.dp_marginal_spec(''patients'', columns => ''{sex}'', ways => 1), sex)) FROM patients'),
	('analyst', 'dp_catalog.dp_counts_combine(m, m) IS NULL FROM (SELECT public.dp_marginals(public.dp_marginal_spec(''patients'', columns => ''{sex}'', ways => 1), ROW(sex)) AS m FROM patients) x'),
	('analyst', 'dp_catalog.dp_marginal_columns(public.dp_marginal_spec(domains => ''[{"name": "sex", "categories": ["f"]}]'', ways => 1))'),
	('analyst', 'dp_catalog.dp_counting_memory_limit(*) FROM patients'),
	('analyst', 'dp_catalog.dp_ask_to_count(1)'),
	('analyst', 'public.dp_evaluate(''patients''::pg_catalog.regclass, ''patients_synthetic''::pg_catalog.regclass)'),
	('analyst', 'public.dp_evaluate(''patients''::pg_catalog.text, ''patients_synthetic'')'),
	('analyst', 'public.dp_evaluate(''{patients,visits}'', ''{patients_synthetic,visits_synthetic}'')'),
	('analyst', 'public.dp_evaluate_risk(''patients'', ''patients_synthetic'', ''{sex,age}'', ''note'')'),
	('analyst', 'public.dp_propensity(''patients'', ''patients_synthetic'')'),
	('analyst', 'public.dp_compare_regression(''patients'', ''patients_synthetic'', ''age'', ''{sex,born,note}'')'),
	('analyst', 'public.dp_compare_regression(''patients'', ''{patients_synthetic,patients_synthetic}'', ''age'', ''{sex}'')'),
	('analyst', 'public.dp_baseline(NULL::patients, ''gibbs'', 5)'),
	('analyst', 'pg_catalog.length(public.dp_report(''patients''::pg_catalog.text, ''patients_synthetic'', ''{"outcome": "age", "predictors": ["sex"], "propensity": true, "known": ["sex"], "secret": "note"}''))'),
	('analyst', 'pg_catalog.length(public.dp_report(''patients''::pg_catalog.regclass, ''patients_synthetic''::pg_catalog.regclass))'),
	('analyst', 'pg_catalog.length(public.dp_report(''{patients,visits}'', ''{patients_synthetic,visits_synthetic}''))'),
	('analyst', 'pg_catalog.length(public.dp_report(''{patients,visits}''::pg_catalog.text, ''{patients_synthetic,visits_synthetic}''))'),
	('analyst', '* FROM public.dp_sql(''SELECT sex, pg_catalog.count(*), pg_catalog.avg(age) FROM rights_path.patients GROUP BY sex'', 1) AS (sex pg_catalog.text, n pg_catalog.int8, a pg_catalog.numeric)'),
	('analyst', '* FROM public.dp_sql_json(''SELECT public.dp_low(pg_catalog.count(*)), public.dp_high(pg_catalog.count(*)), public.dp_std_error(pg_catalog.count(*)) FROM rights_path.patients'', 1)'),
	('analyst', 'public.dp_private_queries(NULL)'),
	('analyst', '* FROM public.dp_ledger'),
	('analyst', '* FROM public.dp_releases'),
	('owner', 'public.dp_revoke(''patients'', ''regress_dp_path_analyst'')'),
	('owner', 'public.dp_unprotect(''patients'')');
-- functions that no call names
SELECT DISTINCT p.proname FROM own_functions p
 WHERE p.pronamespace <> 'dp_catalog'::regnamespace
   AND NOT EXISTS (SELECT FROM attack.calls c WHERE c.call ~ ('\mdp_' || substr(p.proname, 4) || '\('));
GRANT SELECT ON attack.calls TO public;
-- each call, and whether it ends; first, that what was planted would be found
\set ECHO none
SET client_min_messages = warning;
SET search_path = attack, pg_temp, rights_path, pg_catalog;
SELECT pg_catalog.concat('a'::text, 1 = 1::numeric, (SELECT oid FROM pg_class));
SELECT pg_catalog.format('SET SESSION AUTHORIZATION regress_dp_path_%s', role),
	   pg_catalog.format('SELECT %L, pg_catalog.count(x.*) OPERATOR(pg_catalog.>=) 0 FROM (SELECT %s) x', call,
		   pg_catalog.regexp_replace(call, '\$(\w+)', '(SELECT pg_catalog.max(release) FROM public.dp_releases WHERE method OPERATOR(pg_catalog.=) ''\1'')', 'g')),
	   'RESET SESSION AUTHORIZATION'
  FROM attack.calls ORDER BY place \gexec
\set ECHO all
RESET search_path;
-- no more than at first
SELECT last_value FROM attack.ran;

SET client_min_messages = error;
DROP SCHEMA rights_path, attack, rights_path_made, rights_path_made_too, rights_path_made_both CASCADE;
DROP OWNED BY regress_dp_path_owner, regress_dp_path_analyst;
DROP ROLE regress_dp_path_owner, regress_dp_path_analyst;
