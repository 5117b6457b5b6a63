-- What is written as an argument arrives whole, or is an error before anything is done or paid: NULL
-- where a value is needed, NULL in lists, null in options, options of no name, domains of nothing.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA arguments_whole;
CREATE SCHEMA arguments_whole_made;
CREATE ROLE regress_dp_arguments_whole;
SET search_path = arguments_whole, public;
SET client_min_messages = error;
CREATE TABLE visits (ward text CHECK (ward IN ('icu', 'north')), age integer CHECK (age BETWEEN 0 AND 99), town text, kind text NOT NULL CHECK (kind IN ('a', 'b')));
INSERT INTO visits SELECT (ARRAY['icu', 'north'])[1 + i % 2], i % 100, 'town ' || i % 3, 'a' FROM generate_series(1, 500) i;
SELECT dp_protect('visits', 1000, 0.001);
CREATE FUNCTION said(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
	message text;
BEGIN
	EXECUTE 'SELECT count(x) FROM (SELECT ' || call || ') x' INTO result;
	RETURN result || ' row' || CASE WHEN result <> '1' THEN 's' ELSE '' END;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT;
	RETURN SQLSTATE || ' ' || message;
END
$$;

-- ---- functions that act or spend: which arguments may be NULL
SELECT dp_release('visits', 'mst', 1, 0, NULL);
SELECT dp_grant('visits', 'regress_dp_arguments_whole', NULL);
-- those that are strict return NULL for NULL, and only compute
SELECT p.proname FROM pg_depend d JOIN pg_proc p ON p.oid = d.objid AND d.classid = 'pg_proc'::regclass
 WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dpsyn')
   AND p.proisstrict AND p.pronargs > 0 AND p.pronamespace <> 'dp_catalog'::regnamespace ORDER BY 1;
SELECT call, said(call) FROM unnest(ARRAY[
	'dp_release(NULL::text, ''mst'', 1)', 'dp_release(NULL::regclass, ''mst'', 1)', 'dp_release(''{visits,NULL}'', ''mst'', 1)',
	'dp_release(''visits'', NULL, 1)', 'dp_release(''visits'', ''mst'', NULL)', 'dp_release(''visits'', ''mst'', 1, NULL)', 'dp_release(''visits'', ''mst'', 1, sets => NULL)',
	'dp_grant(NULL, ''regress_dp_arguments_whole'', 1)', 'dp_grant(''visits'', NULL, 1)', 'dp_grant(''visits'', ''regress_dp_arguments_whole'', 1, NULL)',
	'dp_revoke(NULL, ''regress_dp_arguments_whole'')', 'dp_revoke(''visits'', NULL)', 'dp_unprotect(NULL)',
	'dp_alter_protection(NULL, 1, 0)', 'dp_alter_protection(''visits'', NULL, NULL)', 'dp_alter_protection(NULL, alerts => ''{0.5}'')', 'dp_alter_protection(''visits'', alerts => NULL)',
	'dp_alter_protection(''visits'', alerts => ''{NULL}'')', 'dp_alter_protection(''visits'')', 'dp_refund(NULL, ''why'')', 'dp_refund(1, NULL)', 'dp_cancel(NULL)',
	'dp_reconcile(NULL, 1)', 'dp_reconcile(''visits'', NULL)', 'dp_reconcile(''visits'', 1, NULL)', 'dp_reconcile(''visits'', 1, 0, NULL)', 'dp_reconcile(''visits'', 1, 0, 0, NULL)',
	'dp_protect(NULL, 1)', 'dp_protect(''visits'', NULL)', 'dp_alter_protection(NULL, max_epsilon_per_release => 1)', 'dp_alter_protection(NULL, min_epsilon_per_release => 1)', 'dp_alter_protection(NULL, refresh_every => ''1 day'')', 'dp_grant(NULL)',
	'dp_define_column(NULL, ''ward'')', 'dp_define_column(''visits'', NULL)', 'dp_define_cells(''visits'', NULL, NULL)', 'dp_define_cells(NULL, NULL, NULL)',
	'dp_define_cells(''visits'', NULL, NULL, NULL)', 'dp_define_cells(NULL, NULL, NULL, NULL)', 'dp_define_hierarchy(''visits'', NULL)', 'dp_define_hierarchy(NULL, NULL)',
	'dp_query(NULL::visits, NULL, 1)', 'dp_query(NULL::visits, ''{count(*)}'', NULL)', 'dp_query(NULL::text, ''{count(*)}'', 1)', 'dp_query(NULL::visits, ''{count(*)}'', 1, delta => NULL)',
	'dp_histogram(NULL::visits, NULL, 1)', 'dp_histogram(NULL::visits, ''{ward}'', NULL)', 'dp_synthesize(NULL::visits, NULL)', 'dp_synthesize(NULL::visits, 1, method => NULL)',
	'dp_create_synthetic(''visits'', NULL, 1)', 'dp_create_synthetic(NULL::text, ''public'', 1)', 'dp_create_synthetic(''visits'', ''public'', NULL)', 'dp_create_synthetic(''visits'', ''public'', 1, options => NULL)',
	'dp_sample(NULL::visits, NULL)', 'dp_answer(NULL)', 'dp_explain(''visits'', NULL, 1)', 'dp_explain(''visits'', ''mst'', 1, options => NULL)', 'dp_explain(NULL::text)']) call;

-- ---- domains of nothing: a domain that is NULL would be none
SELECT said(format('dp_define_column(''visits'', ''town'', open => true, domain => %L)', d)) FROM unnest(ARRAY['null', '{"from": null, "to": 9}', '{"from": 1, "to": null}',
	'{"from": 1, "to": 9, "step": null}', '{"from": 1}', '{"values": null}', '["a", null]', '{"alphabet": null, "length": 2}', '{"alphabet": "ab", "length": null}', '{"alphabet": "ab"}',
	'{"product": null}', '{"product": [["a"], null]}', '{"product": [["a"], ["b"]], "separator": null}', '{"table": null, "column": "town"}', '{"table": "visits", "column": null}', '{"table": "visits"}']) d;

-- ---- lists with NULL, of another shape, and of nothing
SELECT epsilon_spent FROM dp_datasets WHERE relation = 'visits'::regclass \gset
SELECT call, said(call) FROM unnest(ARRAY[
	'dp_query(NULL::visits, ''{}'', 1)', 'dp_query(NULL::visits, ''{NULL}'', 1)', 'dp_query(NULL::visits, ''{count(*),NULL}'', 1)', 'dp_query(NULL::visits, ''{{count(*)},{avg(age)}}'', 1)', 'dp_query(NULL::visits, ''{""}'', 1)',
	'dp_query(NULL::visits, ''{count(*)}'', 1, by => ''{NULL}'')', 'dp_query(NULL::visits, ''{count(*)}'', 1, by => ''{ward,NULL}'')', 'dp_query(NULL::visits, ''{count(*)}'', 1, by => ''{{ward},{kind}}'')',
	'dp_query(NULL::visits, ''{count(*)}'', 1, by => ''{ward,ward}'')', 'dp_query(NULL::visits, ''{count(*)}'', 1, by => ''{Ward}'')', 'dp_query(NULL::visits, ''{count(*)}'', 1, by => ''{""}'')',
	'dp_histogram(NULL::visits, ''{ward,NULL}'', 1)', 'dp_histogram(NULL::visits, ''{ward}'', 1, domain => ''null'')', 'dp_histogram(NULL::visits, ''{town}'', 1, domain => ''{"town": null}'')', 'dp_histogram(NULL::visits, ''{town}'', 1, domain => ''["town 1", null]'')',
	'dp_synthesize_uh(NULL::visits, 1, columns => ''{ward,NULL}'')', 'dp_synthesize_uh(NULL::visits, 1, columns => ''{}'')', 'dp_synthesize_mst(NULL::visits, 1, columns => ''{NULL}'')',
	'dp_synthesize_sbhg(NULL::visits, 1, 1e-9, network => ''{"ward": null}'')', 'dp_synthesize_sbhg(NULL::visits, 1, 1e-9, network => ''{"ward": ["age", null]}'')', 'dp_synthesize_sbhg(NULL::visits, 1, 1e-9, column_order => ''{ward,NULL}'')',
	'dp_synthesize_privbayes(NULL::visits, 1, network => ''{"ward": null}'')', 'dp_synthesize_steps(NULL::visits, 1, groups => ''{"ward": [null]}'')',
	'dp_synthesize_aim(NULL::visits, 1, workload => ''{"ward,age": null}'')', 'dp_synthesize_aim(NULL::visits, 1, workload => ''[["ward", null]]'')', 'dp_synthesize_aim(NULL::visits, 1, workload => ''{"ward,age",NULL}''::text[])',
	'dp_synthesize_cathist(NULL::visits, 1, domain => ''{"town": null}'', columns => ''{town}'')', 'dp_synthesize_pegs(NULL::visits, 1, rows => 2, seed_pool => 4294967295)',
	'dp_release(''{}'', ''mst'', 1)']) call;

-- ---- options: of no name, null, and of another form
SELECT call, said(call) FROM unnest(ARRAY[
	'dp_release(''visits'', ''mst'', 1, 0, ''null'')', 'dp_release(''visits'', ''mst'', 1, 0, ''[]'')', 'dp_release(''visits'', ''mst'', 1, 0, ''{"atributes": null}'')', 'dp_release(''visits'', ''mst'', 1, 0, ''{"Attributes": ["ward"]}'')',
	'dp_release(''visits'', ''auto'', 1, 0, ''{"atributes": null}'')', 'dp_release(''visits'', ''mst'', 1, 0, ''{"columns": [null]}'')', 'dp_release(''visits'', ''mst'', 1, 0, ''{"columns": {"ward": null}}'')', 'dp_release(''visits'', ''mst'', 1, 0, ''{"partial": "true"}'')',
	'dp_explain(''visits'', ''mst'', 1, 0, ''{"atributes": null}'')', 'dp_explain(''visits'', ''mst'', 1, 0, ''{"margin_share": "0.5"}'')',
	'dp_create_synthetic(''visits'', ''arguments_whole_made'', 1, options => ''[]'')', 'dp_create_synthetic(''visits'', ''no schema'', 1, options => ''{"columns": null}'')', 'dp_create_synthetic(''visits'', ''arguments_whole_made'', 1, options => ''{"columns": [null]}'')', 'dp_create_synthetic(''visits'', ''arguments_whole_made'', 1, options => ''{"atributes": null}'')',
	'dp_create_synthetic(''visits'', ''arguments_whole_made'', 1, options => ''{"rows": "many"}'')', 'dp_create_synthetic(''visits'', ''arguments_whole_made'', 1, options => ''{"rows": []}'')', 'dp_create_synthetic(''visits'', ''arguments_whole_made'', 1, options => ''{"method": ["mst"]}'')',
	'dp_evaluate(''visits'', ''visits'', ''{"nothing": null}'')', 'dp_evaluate(''visits'', ''visits'', ''{"columns": [null]}'')', 'dp_report(''visits'', ''visits'', ''{"nothing": null}'')']) call;
SELECT epsilon_spent = :epsilon_spent FROM dp_datasets WHERE relation = 'visits'::regclass;

-- ---- right: an option that is null is not given, and arguments that are NULL have their defaults
SELECT dp_release('visits', 'mst', 1, 0, '{"columns": null, "partial": null}') > 0;
SELECT options - 'max_model_memory' FROM dp_ledger ORDER BY id DESC LIMIT 1;
SELECT count(*) > 0 FROM dp_synthesize_mst(NULL::visits, 1, rows => NULL, columns => NULL, partial => NULL, range_share => NULL, open_share => NULL, sets => NULL, independent_sets => NULL, seed => NULL);
SELECT options - 'max_model_memory' FROM dp_ledger ORDER BY id DESC LIMIT 1;
SELECT count(*) FROM dp_query(NULL::visits, '{count(*)}', 1, by => NULL, filter => NULL, narrow => NULL);
SELECT options FROM dp_ledger ORDER BY id DESC LIMIT 1;
-- two sets of one name add up, where jsonb would keep the last
SELECT dp_catalog.dp_attribute_sets('{"ward,age": 1, "ward,age": 2}'), dp_catalog.dp_attribute_sets('{"age": 1}'::jsonb), dp_catalog.dp_attribute_sets('2'), dp_catalog.dp_attribute_sets('{"ward,age","kind"}'), dp_catalog.dp_attribute_sets('[["ward"]]'), dp_catalog.dp_attribute_sets(NULL);
SELECT count(*) > 0 FROM dp_synthesize_aim(NULL::visits, 1, workload => '{"ward,age": 1, "ward,age": 2}');
SELECT options - 'max_model_memory' FROM dp_ledger ORDER BY id DESC LIMIT 1;
SELECT count(*) > 0 FROM dp_synthesize_aim(NULL::visits, 1, workload => 'null'::jsonb);
SELECT options - 'max_model_memory' FROM dp_ledger ORDER BY id DESC LIMIT 1;
-- the builder of options leaves out what is NULL itself, and nothing else
SELECT dp_catalog.dp_given_options('a', 1, 'b', NULL::text, 'c', '{"d": null}'::jsonb, 'e', ARRAY[1, NULL], 'f', 'null'::jsonb), dp_catalog.dp_given_options('a', NULL::int);
SELECT dp_catalog.dp_given_options('a');
SELECT dp_catalog.dp_given_options(NULL::text, 1);
DROP SCHEMA arguments_whole CASCADE;
DROP SCHEMA arguments_whole_made;
DROP ROLE regress_dp_arguments_whole;
