/*
 * prior.c -- dp_define_cells with counts: public counts of some columns, as the custodian
 * states them; and reading them for a release.
 *
 * The counts come as arrays. So nothing here opens the table from which they come: the custodian's
 * own query reads it, with the custodian's rights. They are kept in dpsyn's catalog, with levels as
 * texts (levels.c), and releases read them from there alone.
 */
#include "pg/domain/declared_facts.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

#include "core/domain/domain.h"
#include "core/domain/priors.h"
#include "pg/domain/levels.h"
#include "pg/server/arguments.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"

PG_FUNCTION_INFO_V1(dp_define_priors);

/* ---- reading the catalog ---- */

/* One row of dp_dataset_prior, its columns in the order of the domain. */
typedef struct Stored
{
	DpDeclared declared;
	uint32 n;
	int at[DP_PRIOR_WIDTH_MAX]; /* where each attribute of the prior stands in the stored cells */
	Datum *level;               /* [cells x n] */
	bool *none;
	Datum *count;
	int cells; /* how many are stored; the others count 0 */
} Stored;

static void
limits_hold(bool hold)
{
	if (!hold)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a prior is over too many columns or cells"),
						errdetail("The limits are %d columns and %d cells.", DP_PRIOR_WIDTH_MAX,
								  (int) DP_PRIOR_CELLS_MAX)));
}

/* Finds the attributes of a prior, and puts them in ascending order; false if one of them has no
 * levels any more (ERROR if strict). */
static bool
prior_attributes(Stored *stored, Datum columns, DpPrior *prior)
{
	int n;
	Datum *names = dp_elements(columns, NULL, &n);

	limits_hold(n <= DP_PRIOR_WIDTH_MAX);
	stored->n = prior->n = n;
	prior->attribute = palloc(sizeof(uint32) * Max(n, 1));
	for (int k = 0; k < n; k++)
	{
		const char *name = NameStr(*DatumGetName(names[k]));
		int index = dp_declared_attribute(&stored->declared, name);
		int to = k;

		if (index < 0)
			return false;
		for (; to > 0 && prior->attribute[to - 1] > (uint32) index; to--)
		{
			prior->attribute[to] = prior->attribute[to - 1];
			stored->at[to] = stored->at[to - 1];
		}
		prior->attribute[to] = index;
		stored->at[to] = k;
	}
	return true;
}

/*
 * The row-major number of the i-th stored cell; -1 if it names a level that is not there any more.
 */
static int64
prior_cell(const Stored *stored, const DpPrior *prior, DpLevels *levels, int i)
{
	int64 cell = 0;

	for (uint32 k = 0; k < prior->n; k++)
	{
		uint32 attribute = prior->attribute[k];
		int at = i * (int) stored->n + stored->at[k];
		int64 code =
			dp_declared_code(&stored->declared, attribute, &levels[k],
							 stored->none[at] ? NULL : TextDatumGetCString(stored->level[at]));

		if (code < 0)
			return -1;
		cell = cell * stored->declared.relation->domain.attribute[attribute].levels + code;
	}
	return cell;
}

static bool
prior_read(const DpDeclared *declared, Datum columns, Datum cells, Datum counts, DpPrior *prior)
{
	Stored stored = {.declared = *declared};
	DpLevels levels[DP_PRIOR_WIDTH_MAX] = {{0}};
	int n;

	if (!prior_attributes(&stored, columns, prior))
		return false;
	stored.level = dp_elements(cells, &stored.none, &n);
	stored.count = dp_elements(counts, NULL, &stored.cells);
	prior->cells = dp_domain_cells(&declared->relation->domain, prior->attribute, prior->n);
	limits_hold(prior->cells <= DP_PRIOR_CELLS_MAX && stored.cells * (int64) stored.n == n);
	prior->count = palloc0(sizeof(int64) * prior->cells);
	for (int i = 0; i < stored.cells; i++)
	{
		int64 cell = prior_cell(&stored, prior, levels, i);

		CHECK_FOR_INTERRUPTS();
		if (cell < 0)
			return false;
		prior->count[cell] += DatumGetInt64(stored.count[i]);
	}
	return true;
}

void
dp_priors_read(DpRelation *relation, int32 dataset, bool strict)
{
	MemoryContext caller = CurrentMemoryContext;
	DpDeclared declared = {relation, "priors", strict};
	DpDomain *domain = &relation->domain;
	DpUserContext user_context;
	uint64 rows;

	dp_catalog_open(&user_context);
	rows = dp_spi_read(
		"SELECT columns, cells, counts, uncertainty_nano FROM dp_catalog.dp_dataset_prior"
		" WHERE dataset = $1 ORDER BY columns",
		DP_ARGUMENTS(DP_INT32(dataset)));
	domain->priors = 0;
	domain->prior = MemoryContextAllocZero(caller, sizeof(DpPrior) * Max(rows, 1));
	for (uint64 i = 0; i < rows; i++)
	{
		MemoryContext spi = MemoryContextSwitchTo(caller);
		DpPrior *prior = &domain->prior[domain->priors];
		bool isnull;

		prior->uncertainty_nano = dp_spi_int64(i, 4);
		if (prior_read(&declared, dp_spi_value(i, 1, &isnull), dp_spi_value(i, 2, &isnull),
					   dp_spi_value(i, 3, &isnull), prior))
			domain->priors++;
		MemoryContextSwitchTo(spi);
	}
	dp_catalog_close(&user_context);
	dp_priors_sort(domain);
}

/* ---- what the custodian wrote ---- */

static DP_NORETURN void
refuse_counts(int cells, int counts)
{
	ereport(ERROR,
			(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR), errmsg("there must be a count for each cell"),
			 errdetail("There are %d cells and %d counts.", cells, counts)));
}

static Datum
counts_argument(FunctionCallInfo fcinfo, int tuples)
{
	int64 total = 0;
	bool *nulls;
	int n;
	Datum *elements = dp_elements(PG_GETARG_DATUM(3), &nulls, &n);

	if (n != tuples)
		refuse_counts(tuples, n);
	for (int i = 0; i < n; i++)
	{
		int64 count = nulls[i] ? -1 : DatumGetInt64(elements[i]);

		if (count < 0 || count > DP_PRIOR_TOTAL_MAX - total)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("counts must not be negative, NULL or too large")));
		total += count;
	}
	if (total == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("counts must not all be 0")));
	return PointerGetDatum(
		construct_array(elements, n, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

static int64
uncertainty_argument(FunctionCallInfo fcinfo)
{
	int64 nano;

	dp_check_not_null(fcinfo, 4, "uncertainty");
	nano = dp_epsilon_argument(fcinfo, 4, true, "uncertainty");
	if (nano < 1 || nano > DP_PRIOR_UNCERTAINTY_ONE)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("uncertainty must be between 0.000000001 and 1"),
						errdetail("It is the standard deviation of the share of rows in a cell.")));
	return nano;
}

static void
priors_drop(const DpLevelSet *set)
{
	bool all = set->width == 0;
	DpArgument columns = {NAMEARRAYOID, all ? (Datum) 0 : dp_level_names(set), all};

	(void) dp_catalog_write("DELETE FROM dp_catalog.dp_dataset_prior WHERE dataset = $1"
							" AND ($2 IS NULL OR columns = $2)",
							DP_ARGUMENTS(DP_INT32(set->dataset.id), columns));
}

/*
 * ERROR unless all priors that fit the domain can hold together. The error undoes what was written.
 */
static void
check_together(DpLevelSet *set)
{
	DpError error = {0};

	dp_priors_read(set->domain, set->dataset.id, false);
	if (dp_domain_check(&set->domain->domain, &error) != DP_OK)
		dp_raise(&error);
}

static void
priors_write(FunctionCallInfo fcinfo, DpLevelSet *set)
{
	ArrayType *levels;
	Datum counts;
	int tuples;

	dp_level_domain(set);
	limits_hold(dp_domain_cells(&set->domain->domain, set->attribute, set->width) <=
				DP_PRIOR_CELLS_MAX);
	levels = dp_level_combinations(fcinfo, set, &tuples);
	counts = counts_argument(fcinfo, tuples);
	(void) dp_catalog_write(
		"INSERT INTO dp_catalog.dp_dataset_prior"
		" (dataset, columns, cells, counts, uncertainty_nano)"
		" VALUES ($1, $2, $3, $4, $5)",
		DP_ARGUMENTS(DP_INT32(set->dataset.id), {NAMEARRAYOID, dp_level_names(set), false},
					 {TEXTARRAYOID, PointerGetDatum(levels), false}, {INT8ARRAYOID, counts, false},
					 DP_INT64(uncertainty_argument(fcinfo))));
	check_together(set);
}

static void
refuse_counts_of_no_cells(const ArrayType *counts)
{
	int n = ArrayGetNItems(ARR_NDIM(counts), ARR_DIMS(counts));

	if (n > 0)
		refuse_counts(0, n);
}

Datum
dp_define_priors(PG_FUNCTION_ARGS)
{
	DpLevelSet set;

	dp_level_set(fcinfo, "declare its priors", &set);
	dp_check_declared_array(fcinfo, 3, "counts");
	priors_drop(&set);
	if (dp_level_any_given(fcinfo))
		priors_write(fcinfo, &set);
	else
		refuse_counts_of_no_cells(PG_GETARG_ARRAYTYPE_P(3));
	PG_RETURN_VOID();
}
