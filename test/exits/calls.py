"""One call of each public function and view, which exits.py cuts short.

A call is (who calls, statement, statement that undoes it or ""), and the code of the error with
which it ends uncut, if it does. {flat}, {tree} and the like are numbers of stored releases. A
function that has no call here is a failure of the suite.
"""

SPEND = "0.001"


def synthesize(method, *more):
    options = ", ".join(("NULL::lab.spare", SPEND) + more)
    return ("ann", "SELECT count(*) FROM dp_synthesize_%s(%s)" % (method, options), "")


SPEC = "(SELECT two FROM lab.spec)"
ONE = "(SELECT one FROM lab.spec)"
COUNTS = "(SELECT c FROM lab.counted)"
PEOPLE = "'lab.people'::regclass"
BOTH = "'{lab.people,lab.stays}'"
FAKES = "'{lab.fake_roots,lab.fake_stays}'"
DROP_MADE = "DROP TABLE IF EXISTS made.people, made.stays, made.spare CASCADE"


def explain(name):
    return {
        "%s(regclass,text,double precision,double precision,jsonb,integer,double precision,double precision)" % name:
            ("ann", "SELECT count(*) FROM %s(%s, 'mst', 1, 1e-8)" % (name, PEOPLE), ""),
        "%s(text,text,double precision,double precision,jsonb,integer,double precision,double precision) of several" % name:
            ("ann", "SELECT count(*) FROM %s(%s, 'mst', 1, 1e-8)" % (name, BOTH), ""),
        "%s(text,text,double precision,double precision,jsonb,integer,double precision,double precision)" % name:
            ("ann", "SELECT count(*) FROM %s('lab.people', 'aim', 1, 1e-8)" % name, ""),
    }


# Several calls of one function stand behind each other, distinguished by what follows a blank.
CALLS = {
    # ---- what is declared ----
    "dp_protect": ("boss", "SELECT dp_protect('lab.loose', 1)", "SELECT dp_unprotect('lab.loose')"),
    "dp_unprotect": ("boss", "SELECT dp_unprotect('lab.kept')", "SELECT dp_protect('lab.kept', 1)"),
    "dp_define_column categories":
        ("boss", "SELECT dp_define_column('lab.people', 'city', categories => '{rome,oslo,bern}')", ""),
    "dp_define_column computed":
        ("boss", "SELECT dp_define_column('lab.stays', 'nights', computed => 'person + 1')", ""),
    "dp_define_column bins":
        ("boss", "SELECT dp_define_column('lab.stays', 'nights', bins => '{0,5,10,20,30}')", ""),
    "dp_define_hierarchy":
        ("boss", "SELECT dp_define_hierarchy('lab.people', 'city',"
         " '{{rome,south},{oslo,north},{bern,south}}')", "SELECT dp_define_hierarchy('lab.people', 'city', '{}')"),
    "dp_define_hierarchy none": ("boss", "SELECT dp_define_hierarchy('lab.people', 'city', '{}')", ""),
    "dp_define_cells(regclass,name[],text[],bigint[],double precision)":
        ("boss", "SELECT dp_define_cells('lab.people', '{sex}', '{f,m}', '{10,20}')",
         "SELECT dp_define_cells('lab.people', '{sex}', '{}', '{}')"),
    "dp_define_cells(regclass,name[],text[],bigint[],double precision) none": ("boss", "SELECT dp_define_cells('lab.people', '{sex}', '{}', '{}')", ""),
    "dp_define_cells(regclass,name[],text[])":
        ("boss", "SELECT dp_define_cells('lab.people', '{sex,city}', '{{f,rome}}')",
         "SELECT dp_define_cells('lab.people', '{sex,city}', '{}')"),
    "dp_define_cells(regclass,name[],text[]) none": ("boss", "SELECT dp_define_cells('lab.people', '{sex,city}', '{}')", ""),
    "dp_grant(regclass,regrole,double precision,double precision)": ("boss", "SELECT dp_grant('lab.spare', 'bob', 1)", ""),
    "dp_revoke": ("boss", "SELECT dp_revoke('lab.spare', 'bob')", ""),
    "dp_alter_protection alerts": ("boss", "SELECT dp_alter_protection('lab.spare', alerts => '{0.5}')", ""),
    "dp_alter_protection no alerts": ("boss", "SELECT dp_alter_protection('lab.spare', alerts => '{}')", ""),
    "dp_alter_protection budget": ("boss", "SELECT dp_alter_protection('lab.spare', 1000000, 1e-3)", ""),
    "dp_alter_protection limit": ("boss", "SELECT dp_alter_protection('lab.spare', max_epsilon_per_release => 1000)", ""),
    "dp_alter_protection minimum": ("boss", "SELECT dp_alter_protection('lab.spare', min_epsilon_per_release => 0.0001)", ""),
    "dp_alter_protection no_false_positives": ("boss", "SELECT dp_alter_protection('lab.spare', no_false_positives => 0.05)", ""),
    "dp_alter_protection refresh": ("boss", "SELECT dp_alter_protection('lab.spare', refresh_every => '1 day')", ""),
    "dp_reconcile(regclass,double precision,double precision)":
        ("boss", "SELECT dp_reconcile('lab.spare', 0)", ""),
    "dp_reconcile(regclass,double precision,double precision,double precision)":
        ("boss", "SELECT dp_reconcile('lab.spare', 0, 0, 0)", ""),
    "dp_reconcile(regclass,double precision,double precision,double precision,double precision)":
        ("boss", "SELECT dp_reconcile('lab.counts_rho', 0, 0, 0, 0)", ""),
    "dp_refund": ("boss", "SELECT dp_refund(-1, 'no such line')", "", "42501"),
    "dp_grant(bigint,regrole)": ("boss", "SELECT dp_grant({flat}, 'bob')", ""),
    "dp_cancel": ("boss", "SELECT dp_cancel(0)", ""),
    "dp_suggest_protection schema": ("boss", "SELECT count(*) FROM dp_suggest_protection('lab', false)", ""),
    "dp_suggest_protection rows": ("boss", "SELECT count(*) FROM dp_suggest_protection('lab', true)", ""),
    "dp_declare_public": ("boss", "SELECT dp_declare_public('lab.cells')", "SELECT dp_declare_public('lab.cells', false)"),
    "dp_suggest_columns schema": ("boss", "SELECT count(*) FROM dp_suggest_columns('lab.people', false)", ""),
    "dp_suggest_columns rows": ("boss", "SELECT count(*) FROM dp_suggest_columns('lab.people', true)", ""),

    # ---- what is told, at no cost ----
    "dp_evaluate_risk(double precision,double precision)": ("ann", "SELECT dp_evaluate_risk(1, 0)", ""),
    "dp_error(bigint[],double precision,double precision,text,text)": ("ann", "SELECT dp_error('{5,3,1}', 1, 1e-6)", ""),
    "dp_combine_estimates": ("ann", "SELECT dp_combine_estimates('{1,2,3,6}', '{1,1,2,2}')", ""),
    "dp_combine_chi_square": ("ann", "SELECT dp_combine_chi_square('{4,9,16}', 3)", ""),
    **explain("dp_explain"),

    # ---- what spends ----
    "dp_release(regclass,text,double precision,double precision,jsonb,integer)":
        ("ann", "SELECT dp_release('lab.spare'::regclass, 'mst', " + SPEND + ", 1e-12)", ""),
    "dp_release(text,text,double precision,double precision,jsonb,integer) of several":
        ("boss", "SELECT dp_release(" + BOTH + ", 'mst', " + SPEND + ", 1e-12)", ""),
    "dp_release(text,text,double precision,double precision,jsonb,integer)":
        ("ann", "SELECT dp_release('lab.people', 'sba', " + SPEND + ", 1e-12)", ""),
    "dp_histogram(anyelement,name[],double precision,double precision,text,jsonb,double precision,double precision)":
        ("ann", "SELECT count(*) FROM dp_histogram(NULL::lab.spare, '{a}', " + SPEND + ")", ""),
    "dp_histogram(text,name[],double precision,double precision,text,jsonb,double precision,double precision)":
        ("ann", "SELECT count(*) FROM dp_histogram('lab.spare', '{a}', " + SPEND + ")", ""),
    "dp_query(anyelement,text[],double precision,name[],jsonb,double precision,double precision,boolean,integer,double precision)":
        ("ann", "SELECT count(*) FROM dp_query(NULL::lab.people, '{count(*),avg(age)}', " + SPEND + ", by => '{sex}')", ""),
    "dp_query(text,text[],double precision,name[],jsonb,double precision,double precision,boolean,integer,double precision)":
        ("ann", "SELECT count(*) FROM dp_query('lab.spare', '{count(*)}', " + SPEND + ")", ""),
    "dp_sql": ("ann", "SELECT count(*) FROM dp_sql('SELECT sex, count(*), dp_low(2 * count(*)) FROM lab.people GROUP BY sex', "
               + SPEND + ") AS (sex text, n bigint, low float8)", ""),
    "dp_sql_json": ("ann", "SELECT count(*) FROM dp_sql_json('SELECT count(*) AS n FROM lab.people', " + SPEND + ")", ""),
    "dp_private_queries": ("ann", "SELECT dp_private_queries(" + SPEND + ")", "SELECT dp_private_queries(NULL)"),
    "dp_low": ("ann", "SELECT dp_low(1)", "", "55000"),
    "dp_high": ("ann", "SELECT dp_high(1)", "", "55000"),
    "dp_std_error": ("ann", "SELECT dp_std_error(1)", "", "55000"),
    "dp_synthesize(anyelement,double precision,double precision,bigint,text,jsonb,integer,bigint)":
        ("ann", "SELECT count(*) FROM dp_synthesize(NULL::lab.spare, " + SPEND + ", 1e-12, 50, 'mst')", ""),
    "dp_synthesize(text,double precision,double precision,bigint,text,jsonb,integer,bigint)":
        ("ann", "SELECT count(*) FROM dp_synthesize('lab.spare', " + SPEND + ", rows => 20) AS r(a int, b text)", ""),
    "dp_synthesize_aim": synthesize("aim", "1e-12", "50"),
    "dp_synthesize_cathist": synthesize("cathist", "1e-12", "50"),
    "dp_synthesize_cipher": synthesize("cipher", "rows => 50"),
    "dp_synthesize_flat": synthesize("flat", "rows => 50"),
    "dp_synthesize_marginal": synthesize("marginal", "rows => 50"),
    "dp_synthesize_mst": synthesize("mst", "1e-12", "50"),
    "dp_synthesize_mwem": synthesize("mwem", "rows => 50"),
    "dp_synthesize_pegs": synthesize("pegs", "rows => 50"),
    "dp_synthesize_pegs_ldiversity":
        ("boss", "SELECT count(*) FROM dp_synthesize_pegs_ldiversity(NULL::lab.spare, l => 1.5, rows => 20)", ""),
    "dp_synthesize_pmi": synthesize("pmi", "rows => 20"),
    "dp_synthesize_privbayes": synthesize("privbayes", "rows => 50"),
    "dp_synthesize_sba": synthesize("sba", "1e-12", "50"),
    "dp_synthesize_sbhg": synthesize("sbhg", "1e-12", "50"),
    "dp_synthesize_steps": synthesize("steps", "rows => 50"),
    "dp_synthesize_uh": synthesize("uh", "rows => 50"),
    "dp_create_synthetic(regclass,name,double precision,double precision,jsonb,bigint,bigint)":
        ("boss", "SELECT count(*) FROM dp_create_synthetic('lab.spare'::regclass, 'made', " + SPEND + ", 1e-12)", DROP_MADE),
    "dp_create_synthetic(text,name,double precision,double precision,jsonb,bigint,bigint) of several":
        ("boss", "SELECT count(*) FROM dp_create_synthetic(" + BOTH + ", 'made', 1, 1e-12)", DROP_MADE),
    "dp_create_synthetic(text,name,double precision,double precision,jsonb,bigint,bigint)":
        ("boss", "SELECT count(*) FROM dp_create_synthetic('lab.spare', 'made', " + SPEND + ", 1e-12)", DROP_MADE),

    # ---- rows and answers of what is stored ----
    "dp_sample(anyelement,bigint,bigint,bigint,integer,jsonb,integer,integer)":
        ("ann", "SELECT count(*) FROM dp_sample(NULL::lab.people, {flat}, 3000)", ""),
    "dp_sample(anyelement,bigint,bigint,bigint,integer,jsonb,integer,integer) as a function":
        ("ann", "SELECT count(*) FROM ROWS FROM (dp_sample(NULL::lab.people, {flat}, 2000), generate_series(1, 9))", ""),
    "dp_sample(anyelement,bigint,bigint,bigint,integer,jsonb,integer,integer) row by row":
        ("ann", "SELECT count(*) FROM (SELECT dp_sample(NULL::lab.people, {flat}, 2000)) s", ""),
    "dp_sample(anyelement,bigint,bigint,bigint,integer,jsonb,integer,integer) of a tree":
        ("ann", "SELECT count(*) FROM dp_sample(NULL::lab.stays, {tree}, seed => 2)", ""),
    "dp_sample(anyelement,bigint,bigint,bigint,integer,jsonb,integer,integer) by workers":
        ("ann", "SELECT set_config('dpsyn.max_parallel_workers', '2', true), (SELECT count(*)"
         " FROM dp_sample(NULL::lab.people, {flat}, 400000))", ""),
    "dp_sample(text,bigint,bigint,bigint,integer,jsonb,integer,integer)":
        ("ann", "SELECT count(*) FROM dp_sample('lab.people', {flat}, 1000) AS r(sex text, visits int)", ""),
    "dp_impute":
        ("ann", "SELECT count(*) FROM (SELECT dp_impute(ROW(NULL, 'f', 1 + i, NULL, NULL, NULL, NULL, NULL)::lab.people,"
         " {flat}, i) FROM generate_series(1, 20) i) c", ""),
    "dp_trace": ("ann", "SELECT count(*) FROM dp_trace({chain}, 1, 3)", ""),
    "dp_answer": ("ann", "SELECT count(*) FROM dp_answer({flat}, '{sex}', '{\"age\": [10, 40]}')", ""),
    "dp_error(bigint,bigint)": ("ann", "SELECT count(*) FROM dp_error({flat}, 500)", ""),
    "dp_histogram(bigint,double precision)": ("ann", "SELECT count(*) FROM dp_histogram({histogram})", ""),
    "dp_query(bigint,double precision)": ("ann", "SELECT count(*) FROM dp_query({query})", ""),
    "dp_release_cells": ("ann", "SELECT count(*) FROM dp_release_cells({flat}, 1)", ""),
    "dp_release_tables": ("ann", "SELECT count(*) FROM dp_release_tables({flat})", ""),
    "dp_fit_marginals(anyelement,dp_noisy_counts[],bigint,text,double precision,integer,bigint)":
        ("ann", "SELECT count(*) FROM dp_fit_marginals(NULL::lab.spare, (SELECT array_agg((attributes, \"values\", count,"
         " variance)::dp_noisy_counts) FROM lab.cells), 200)", ""),
    "dp_fit_marginals(anyelement,regclass,bigint,text,double precision,integer,bigint)":
        ("ann", "SELECT count(*) FROM dp_fit_marginals(NULL::lab.spare, 'lab.cells'::regclass, 200)", ""),

    # ---- comparing and reporting ----
    "dp_baseline": ("boss", "SELECT count(*) FROM dp_baseline(NULL::lab.spare, 'empirical', 100)", ""),
    "dp_evaluate(regclass,regclass,jsonb)":
        ("boss", "SELECT count(*) FROM dp_evaluate('lab.people'::regclass, 'lab.fake'::regclass)", ""),
    "dp_evaluate(text,text,jsonb) of several":
        ("boss", "SELECT count(*) FROM dp_evaluate(" + BOTH + ", " + FAKES + ")", ""),
    "dp_evaluate(text,text,jsonb)": ("boss", "SELECT count(*) FROM dp_evaluate('lab.people', 'lab.fake')", ""),
    "dp_evaluate_risk(regclass,regclass,name[],name,jsonb)":
        ("boss", "SELECT count(*) FROM dp_evaluate_risk('lab.people', 'lab.fake', '{sex,age}', 'city', '{\"sample\": 100}')", ""),
    "dp_compare_regression(regclass,regclass,name,name[],text,double precision,name[],text)":
        ("boss", "SELECT count(*) FROM dp_compare_regression('lab.people'::regclass, 'lab.fake', 'age', '{visits}')", ""),
    "dp_compare_regression(text,text,name,name[],text,double precision,name[],text,text)":
        ("boss", "SELECT count(*) FROM dp_compare_regression('lab.people', '{lab.fake,lab.fake_roots}', 'age', '{visits}')", ""),
    "dp_propensity":
        ("boss", "SELECT count(*) FROM dp_propensity('lab.people', 'lab.fake', '{\"null_draws\": 1}')", ""),
    "dp_report(bigint)": ("ann", "SELECT length(dp_report({flat}))", ""),
    "dp_report(regclass,regclass,jsonb)":
        ("boss", "SELECT length(dp_report('lab.people'::regclass, 'lab.fake'::regclass))", ""),
    "dp_report(text,text,jsonb) of several": ("boss", "SELECT length(dp_report(" + BOTH + ", " + FAKES + "))", ""),
    "dp_report(text,text,jsonb)": ("boss", "SELECT length(dp_report('lab.people', 'lab.fake'))", ""),

    # ---- counting ----
    "dp_marginal_spec": ("boss", "SELECT length(dp_marginal_spec('lab.people'))", ""),
    "dp_marginal_spec by hand":
        ("ann", "SELECT length(dp_marginal_spec(domains => '[{\"name\": \"n\", \"levels\": 50}, {\"name\": \"m\", \"levels\": 9}]'))", ""),
    "dp_marginals(bytea,\"any\")": ("ann", "SELECT length(dp_marginals(" + SPEC + ", a, b)::text) FROM lab.spare", ""),
    "dp_marginals(bytea,integer[])":
        ("ann", "SELECT length(dp_marginals(" + ONE + ", ARRAY[a]::int[])::text) FROM lab.spare", ""),
    "dp_marginals(bytea,text[])":
        ("ann", "SELECT length(dp_marginals(" + SPEC + ", ARRAY[a::text, b])::text) FROM lab.spare", ""),
    "dp_marginals(bytea,record)": ("ann", "SELECT length(dp_marginals(" + SPEC + ", ROW(a, b))::text) FROM lab.spare", ""),
    "dp_merge": ("ann", "SELECT length(dp_merge(c)::text) FROM lab.counted", ""),
    "dp_cells": ("ann", "SELECT count(*) FROM dp_cells(" + COUNTS + ", 1)", ""),
}

# Views are read whole.
VIEWS_BY = ("boss", "SELECT count(*) FROM (SELECT * FROM {view} OFFSET 0) v", "")
