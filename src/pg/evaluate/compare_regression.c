/*
 * compare_regression.c -- dp_compare_regression: one regression of the original and of synthetic
 * rows, coefficient by coefficient.
 */
#include "pg/server/compat.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/tuplestore.h"

#include "core/estimate/combine.h"
#include "core/evaluate/agreement.h"
#include "pg/evaluate/regression_tables.h"
#include "pg/server/arguments.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"

PG_FUNCTION_INFO_V1(dp_compare_regression);
PG_FUNCTION_INFO_V1(dp_compare_regression_of);

enum
{
	COLUMN_TERM,
	COLUMN_REFERENCE,
	COLUMN_ORIGINAL,
	COLUMN_ORIGINAL_ERROR,
	COLUMN_ORIGINAL_P,
	COLUMN_SYNTHETIC,
	COLUMN_SYNTHETIC_ERROR,
	COLUMN_SYNTHETIC_P,
	COLUMN_BIAS,
	COLUMN_OVERLAP,
	COLUMN_SAME_SIGN,
	COLUMN_SAME_SIGNIFICANCE,
	COLUMN_SSS,
	COLUMN_ORIGINAL_ROWS,
	COLUMN_ORIGINAL_DROPPED,
	COLUMN_SYNTHETIC_ROWS,
	COLUMN_SYNTHETIC_DROPPED,
	COLUMN_NOTE,
	COLUMNS
};

typedef struct Comparison
{
	DpRegressionRequest request;
	DpRegressionTables *tables;
	DpRegression *fit; /* [relations] */
	double confidence;
	DpCombineRule rule;
	DpArena arena;
} Comparison;

/* An estimate of a coefficient, of one table or of several together. */
typedef struct Estimate
{
	bool known;
	double value, std_error, p;
	DpConfidenceInterval interval;
} Estimate;

/* ---- the fits ---- */

static DpRegression
fit_table(Comparison *comparison, uint32 k, const bool *left_out)
{
	const DpRegressionTables *tables = comparison->tables;
	DpRegressionModel model = {.family = tables->family,
							   .predictor = tables->predictor,
							   .predictors = tables->predictors,
							   .left_out = left_out};
	DpRegression fit;
	DpStatus status = dp_regression_fit(&model, &tables->table[k].rows, &fit, &dp_interrupt_tick,
										&comparison->arena);

	if (status == DP_ERR_LIMIT)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the regression has too many terms"),
						errdetail("It has %llu; there may be %d. Each level of a category but one "
								  "is a term.",
								  (unsigned long long) dp_design_terms(tables->predictor,
																	   tables->predictors, false),
								  DP_REGRESSION_TERMS_MAX),
						errhint("Leave out predictors that have many values.")));
	if (status != DP_OK)
		dp_raise(&(DpError){.status = status});
	return fit;
}

/* What keeps a table from having estimates. */
static const char *
fit_words(DpFitState state)
{
	switch (state)
	{
		case DP_FIT_EMPTY:
			return "no row is without NULL in these columns";
		case DP_FIT_CONSTANT:
			return "the outcome is the same in all rows";
		case DP_FIT_FEW_ROWS:
			return "there are no more rows than terms";
		case DP_FIT_SEPARATED:
			return "the predictors tell the outcome of every row, so no estimate is finite";
		case DP_FIT_NOT_CONVERGED:
			return "the likelihood has no maximum that could be found";
		case DP_FIT_DONE:
			break;
	}
	return NULL;
}

/* A term that is collinear in the original is left out of the model of all tables, so that the
 * others mean the same in each. */
static void
fit_all(Comparison *comparison)
{
	uint32 n = comparison->request.relations;
	bool *left_out;

	comparison->fit = palloc0(sizeof(DpRegression) * n);
	comparison->fit[0] = fit_table(comparison, 0, NULL);
	if (comparison->fit[0].state != DP_FIT_DONE)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the regression of %s has no estimates",
						dp_relation_label(comparison->request.relation[0])),
				 errdetail("%s.", psprintf("%c%s", pg_toupper(*fit_words(comparison->fit[0].state)),
										   fit_words(comparison->fit[0].state) + 1))));
	left_out = palloc0(sizeof(bool) * comparison->fit[0].design.terms);
	for (uint32 t = 0; t < comparison->fit[0].design.terms; t++)
		left_out[t] = comparison->fit[0].term_state[t] == DP_TERM_COLLINEAR;
	for (uint32 k = 1; k < n; k++)
		comparison->fit[k] = fit_table(comparison, k, left_out);
}

/* ---- estimates ---- */

static double
p_value(double value, double std_error, double df)
{
	double z = value / std_error;

	return std_error > 0 ? dp_f_above(z * z, 1, df) : value != 0 ? 0 : 1;
}

static Estimate
estimate_of(const DpRegression *fit, uint32 term, double confidence)
{
	Estimate estimate = {0};
	double half;

	if (fit->state != DP_FIT_DONE || fit->term_state[term] != DP_TERM_FITTED)
		return estimate;
	estimate.known = true;
	estimate.value = fit->coefficient[term];
	estimate.std_error = fit->standard_error[term];
	estimate.p = p_value(estimate.value, estimate.std_error, fit->df);
	half = estimate.std_error * dp_regression_width(fit, confidence);
	estimate.interval = (DpConfidenceInterval){estimate.value - half, estimate.value + half};
	return estimate;
}

/* Several sets are combined where all of them have an estimate. */
static Estimate
estimate_combined(const Comparison *comparison, uint32 term)
{
	uint32 m = comparison->request.relations - 1;
	double *value = palloc(sizeof(double) * m), *std_error = palloc(sizeof(double) * m);
	Estimate estimate = {.known = true};
	DpCombined combined;

	if (m == 1)
		return estimate_of(&comparison->fit[1], term, comparison->confidence);
	for (uint32 k = 0; k < m && estimate.known; k++)
	{
		Estimate one = estimate_of(&comparison->fit[k + 1], term, comparison->confidence);

		value[k] = one.value;
		std_error[k] = one.std_error;
		estimate.known = one.known;
	}
	if (estimate.known)
		estimate.known = dp_combine_estimates_of(value, std_error, m, comparison->confidence,
												 comparison->rule, &combined) == DP_OK;
	if (!estimate.known)
		return estimate;
	estimate.value = combined.estimate;
	estimate.std_error = combined.standard_error;
	estimate.p = p_value(combined.estimate, combined.standard_error, combined.df);
	estimate.interval = (DpConfidenceInterval){combined.low, combined.high};
	return estimate;
}

/* ---- what is said of a term ---- */

static const char *
term_words(const Comparison *comparison, uint32 term)
{
	const DpDesign *design = &comparison->fit[0].design;
	uint32 i;

	if (term == 0)
		return "(intercept)";
	i = dp_design_predictor(design, term);
	if (design->predictor[i].levels == 0)
		return comparison->tables->column[i + 1].name;
	return psprintf("%s = %s", comparison->tables->column[i + 1].name,
					comparison->tables->column[i + 1].level[dp_design_level(design, term)]);
}

static const char *
reference_words(const Comparison *comparison, uint32 term)
{
	const DpDesign *design = &comparison->fit[0].design;
	uint32 i;

	if (term == 0)
		return NULL;
	i = dp_design_predictor(design, term);
	if (design->predictor[i].levels == 0)
		return NULL;
	return comparison->tables->column[i + 1].level[design->predictor[i].reference];
}

static const char *
state_words(const Comparison *comparison, DpTermState state, uint32 term)
{
	const DpDesign *design = &comparison->fit[0].design;
	bool number = term > 0 && design->predictor[dp_design_predictor(design, term)].levels == 0;

	switch (state)
	{
		case DP_TERM_ABSENT:
			return number ? "the column has one value" : "no row has this level";
		case DP_TERM_COLLINEAR:
			return "a combination of terms before it";
		case DP_TERM_SEPARATED:
			return "separated: the outcome is certain for some rows, so no estimate is finite";
		default:
			return NULL;
	}
}

/* A predictor of which no level is in all tables: then a reference level has no rows somewhere. */
static bool
is_comparable(const Comparison *comparison, uint32 term)
{
	for (uint32 i = 0; i < comparison->tables->predictors; i++)
		if (!comparison->tables->comparable[i] &&
			(term == 0 || dp_design_predictor(&comparison->fit[0].design, term) == i))
			return false;
	return true;
}

static const char *
note_of(const Comparison *comparison, uint32 term)
{
	uint32 m = comparison->request.relations - 1, without = 0;
	const char *original = state_words(comparison, comparison->fit[0].term_state[term], term);
	const char *synthetic = NULL;

	if (!is_comparable(comparison, term))
		return "no level of the column is in all tables";
	for (uint32 k = 1; k <= m; k++)
	{
		const DpRegression *fit = &comparison->fit[k];
		const char *words = fit->state != DP_FIT_DONE
								? fit_words(fit->state)
								: state_words(comparison, fit->term_state[term], term);

		without += words != NULL;
		if (synthetic == NULL)
			synthetic = words;
	}
	if (synthetic != NULL)
		synthetic = m == 1 ? psprintf("synthetic: %s", synthetic)
						   : psprintf("%u of %u synthetic sets: %s", without, m, synthetic);
	if (original != NULL && synthetic != NULL)
		return psprintf("original: %s; %s", original, synthetic);
	return original != NULL ? psprintf("original: %s", original) : synthetic;
}

/* ---- rows of the result ---- */

typedef struct Row
{
	Datum value[COLUMNS];
	bool null[COLUMNS];
} Row;

static void
set_number(Row *row, int column, double value)
{
	row->value[column] = Float8GetDatum(value);
	row->null[column] = false;
}

static void
set_truth(Row *row, int column, bool value)
{
	row->value[column] = BoolGetDatum(value);
	row->null[column] = false;
}

static void
set_rows(Row *row, int column, int64 value)
{
	row->value[column] = Int64GetDatum(value);
	row->null[column] = false;
}

static void
set_text(Row *row, int column, const char *words)
{
	row->null[column] = words == NULL;
	if (words != NULL)
		row->value[column] = CStringGetTextDatum(words);
}

static void
set_estimate(Row *row, int column, const Estimate *estimate)
{
	if (!estimate->known)
		return;
	set_number(row, column, estimate->value);
	set_number(row, column + 1, estimate->std_error);
	set_number(row, column + 2, estimate->p);
}

static void
set_agreement(Row *row, const Estimate *original, const Estimate *synthetic, double level)
{
	bool same_sign = (original->value > 0) == (synthetic->value > 0);
	bool significant[2] = {original->p < level, synthetic->p < level};

	if (!original->known || !synthetic->known)
		return;
	set_number(row, COLUMN_BIAS, synthetic->value - original->value);
	set_number(row, COLUMN_OVERLAP, dp_interval_overlap(original->interval, synthetic->interval));
	set_truth(row, COLUMN_SAME_SIGN, same_sign);
	set_truth(row, COLUMN_SAME_SIGNIFICANCE, significant[0] == significant[1]);
	set_text(
		row, COLUMN_SSS,
		dp_significance_name(dp_significance_class(same_sign, significant[0], significant[1])));
}

static void
set_counts(Row *row, const Comparison *comparison)
{
	int64 used = 0, dropped = 0;

	for (uint32 k = 1; k < comparison->request.relations; k++)
	{
		used += comparison->tables->table[k].used;
		dropped += comparison->tables->table[k].dropped;
	}
	set_rows(row, COLUMN_ORIGINAL_ROWS, comparison->tables->table[0].used);
	set_rows(row, COLUMN_ORIGINAL_DROPPED, comparison->tables->table[0].dropped);
	set_rows(row, COLUMN_SYNTHETIC_ROWS, used);
	set_rows(row, COLUMN_SYNTHETIC_DROPPED, dropped);
}

static void
return_term(const Comparison *comparison, uint32 term, ReturnSetInfo *result)
{
	Estimate original = estimate_of(&comparison->fit[0], term, comparison->confidence);
	Estimate synthetic = estimate_combined(comparison, term);
	Row row;

	memset(row.null, true, sizeof(row.null));
	if (!is_comparable(comparison, term))
		synthetic.known = false;
	set_text(&row, COLUMN_TERM, term_words(comparison, term));
	set_text(&row, COLUMN_REFERENCE, reference_words(comparison, term));
	set_estimate(&row, COLUMN_ORIGINAL, &original);
	set_estimate(&row, COLUMN_SYNTHETIC, &synthetic);
	set_agreement(&row, &original, &synthetic, 1 - comparison->confidence);
	set_counts(&row, comparison);
	set_text(&row, COLUMN_NOTE, note_of(comparison, term));
	tuplestore_putvalues(result->setResult, result->setDesc, row.value, row.null);
}

/* ---- arguments ---- */

static char **
names_of(Datum array, uint32 *n)
{
	int elements;
	Datum *datum = dp_elements(array, NULL, &elements);
	char **name = palloc(sizeof(char *) * Max(elements, 1));

	for (int i = 0; i < elements; i++)
		name[i] = NameStr(*DatumGetName(datum[i]));
	*n = (uint32) elements;
	return name;
}

static const DpWords rule_words = {
	.unknown = "unknown combining rule",
	.hint = "Use private or fully_synthetic.",
	.n = 2,
	.word = {[DP_COMBINE_PRIVATE] = "private", [DP_COMBINE_FULLY_SYNTHETIC] = "fully_synthetic"}};

/* The arguments from the outcome on, which both functions have. */
static Datum
compare(FunctionCallInfo fcinfo, Comparison *comparison)
{
	static const char *const name[] = {"original", "synthetic",  "outcome",    "predictors",
									   "family",   "confidence", "categorical"};
	DpRegressionRequest *request = &comparison->request;

	for (int i = 2; i < 7; i++)
		if (i != 4)
			dp_check_not_null(fcinfo, i, name[i]);
	request->outcome = NameStr(*PG_GETARG_NAME(2));
	request->predictor = names_of(PG_GETARG_DATUM(3), &request->predictors);
	request->family = PG_ARGISNULL(4) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(4));
	comparison->confidence = PG_GETARG_FLOAT8(5);
	dp_check_confidence(comparison->confidence);
	request->categorical = names_of(PG_GETARG_DATUM(6), &request->categoricals);
	request->event = PG_ARGISNULL(7) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(7));
	comparison->arena = dp_arena_for(CurrentMemoryContext);
	InitMaterializedSRF(fcinfo, 0);
	comparison->tables = dp_regression_tables(request);
	fit_all(comparison);
	for (uint32 t = 0; t < comparison->fit[0].design.terms; t++)
		return_term(comparison, t, (ReturnSetInfo *) fcinfo->resultinfo);
	return (Datum) 0;
}

Datum
dp_compare_regression(PG_FUNCTION_ARGS)
{
	Comparison comparison = {.request = {.relations = 2}};

	dp_check_not_null(fcinfo, 0, "original");
	dp_check_not_null(fcinfo, 1, "synthetic");
	comparison.request.relation = palloc(sizeof(Oid) * 2);
	comparison.request.relation[0] = PG_GETARG_OID(0);
	comparison.request.relation[1] = PG_GETARG_OID(1);
	return compare(fcinfo, &comparison);
}

/* The relations that argument 1 names, one or a list, each as often as it is named. */
static Datum *
synthetic_sets(FunctionCallInfo fcinfo, int *n)
{
	char *words = text_to_cstring(PG_GETARG_TEXT_PP(1));
	Datum *set = palloc(sizeof(Datum));
	bool *isnull;

	*n = 1;
	if (words[strspn(words, " \t\n\r\v\f")] != '{')
	{
		set[0] = DirectFunctionCall1(regclassin, CStringGetDatum(words));
		return set;
	}
	set = dp_elements(OidInputFunctionCall(F_ARRAY_IN, words, REGCLASSOID, -1), &isnull, n);
	for (int i = 0; i < *n; i++)
		if (isnull[i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("relations must not hold NULL")));
	if (*n == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("no relation is named")));
	return set;
}

/* dp_compare_regression(original text, synthetic text, ...) */
Datum
dp_compare_regression_of(PG_FUNCTION_ARGS)
{
	Comparison comparison = {0};
	Datum *set;
	int n;

	dp_check_not_null(fcinfo, 0, "original");
	dp_check_not_null(fcinfo, 1, "synthetic");
	dp_check_not_null(fcinfo, 8, "rule");
	comparison.rule = dp_word_find(&rule_words, text_to_cstring(PG_GETARG_TEXT_PP(8)));
	set = synthetic_sets(fcinfo, &n);
	comparison.request.relations = (uint32) n + 1;
	comparison.request.relation = palloc(sizeof(Oid) * (n + 1));
	comparison.request.relation[0] = DatumGetObjectId(
		DirectFunctionCall1(regclassin, CStringGetDatum(text_to_cstring(PG_GETARG_TEXT_PP(0)))));
	for (int i = 0; i < n; i++)
		comparison.request.relation[i + 1] = DatumGetObjectId(set[i]);
	return compare(fcinfo, &comparison);
}
