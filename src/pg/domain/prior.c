/*
 * prior.c -- dp_define_priors, dp_undefine_priors: public counts of some columns,
 * as the custodian states them; and reading them for a release.
 *
 * The counts come as arrays, so that nothing here opens the table that they are of: the
 * custodian's own query does, with the custodian's rights. They are kept in dpsyn's
 * catalog, levels as texts (levels.c), and no release reads them from elsewhere.
 */
#include "levels.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "prior.h"

PG_FUNCTION_INFO_V1(dp_define_priors);
PG_FUNCTION_INFO_V1(dp_undefine_priors);

/* ---- reading the catalog ---- */

/* One row of dp_dataset_prior, its columns in the order of the domain. */
typedef struct Stored
{
	DpRelation *relation;
	uint32 n;
	int at[DP_PRIOR_WIDTH_MAX]; /* where each attribute of the prior stands in the stored cells */
	Datum *level;               /* [cells x n] */
	bool *none;
	Datum *count;
	int cells; /* that are stored: others count 0 */
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

/* false: an attribute is not there, and strict does not want an error. */
static bool
prior_attributes(Stored *stored, Datum columns, bool strict, DpPrior *prior)
{
	int n;
	Datum *names = dp_array_elements(columns, NAMEOID, NULL, &n);

	limits_hold(n <= DP_PRIOR_WIDTH_MAX);
	stored->n = prior->n = n;
	prior->attribute = palloc(sizeof(uint32) * Max(n, 1));
	for (int k = 0; k < n; k++)
	{
		const char *name = NameStr(*DatumGetName(names[k]));
		int index = dp_level_attribute(stored->relation, "priors", name, strict);
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

/* The row-major cell of the i-th stored one; -1: a level is not there. */
static int64
prior_cell(const Stored *stored, const DpPrior *prior, DpLevels *levels, int i, bool strict)
{
	int64 cell = 0;

	for (uint32 k = 0; k < prior->n; k++)
	{
		const DpAttribute *attribute = &stored->relation->domain.attribute[prior->attribute[k]];
		int at = i * (int) stored->n + stored->at[k];
		int64 code =
			dp_level_find(attribute, &levels[k],
						  stored->none[at] ? NULL : TextDatumGetCString(stored->level[at]));

		if (code < 0)
		{
			if (strict)
				dp_level_outdated(stored->relation->oid, "priors", attribute->name, true);
			return -1;
		}
		cell = cell * attribute->levels + code;
	}
	return cell;
}

static bool
prior_read(DpRelation *relation, Datum columns, Datum cells, Datum counts, bool strict,
		   DpPrior *prior)
{
	Stored stored = {.relation = relation};
	DpLevels levels[DP_PRIOR_WIDTH_MAX] = {{0}};
	int n;

	if (!prior_attributes(&stored, columns, strict, prior))
		return false;
	stored.level = dp_array_elements(cells, TEXTOID, &stored.none, &n);
	deconstruct_array(DatumGetArrayTypeP(counts), INT8OID, sizeof(int64), FLOAT8PASSBYVAL,
					  TYPALIGN_DOUBLE, &stored.count, NULL, &stored.cells);
	prior->cells = dp_domain_cells(&relation->domain, prior->attribute, prior->n);
	limits_hold(prior->cells <= DP_PRIOR_CELLS_MAX && stored.cells * (int64) stored.n == n);
	prior->count = palloc0(sizeof(int64) * prior->cells);
	for (int i = 0; i < stored.cells; i++)
	{
		int64 cell = prior_cell(&stored, prior, levels, i, strict);

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
	Oid types[1] = {INT4OID};
	Datum values[1] = {Int32GetDatum(dataset)};
	DpDomain *domain = &relation->domain;
	DpElevation elevation;
	uint64 rows;

	dp_elevate(&elevation);
	SPI_connect();
	rows = dp_spi("SELECT columns, cells, counts, uncertainty_nano FROM @.dp_dataset_prior"
				  " WHERE dataset = $1 ORDER BY columns",
				  SPI_OK_SELECT, 1, types, values, NULL, true);
	domain->priors = 0;
	domain->prior = MemoryContextAllocZero(caller, sizeof(DpPrior) * Max(rows, 1));
	for (uint64 i = 0; i < rows; i++)
	{
		MemoryContext spi = MemoryContextSwitchTo(caller);
		DpPrior *prior = &domain->prior[domain->priors];
		bool isnull;

		prior->uncertainty_nano = dp_spi_int64(i, 4);
		if (prior_read(relation, dp_spi_value(i, 1, &isnull), dp_spi_value(i, 2, &isnull),
					   dp_spi_value(i, 3, &isnull), strict, prior))
			domain->priors++;
		MemoryContextSwitchTo(spi);
	}
	SPI_finish();
	dp_unelevate(&elevation);
	dp_priors_sort(domain);
}

/* ---- what the custodian wrote ---- */

static Datum
counts_argument(FunctionCallInfo fcinfo, int tuples)
{
	Datum *elements;
	int64 total = 0;
	bool *nulls;
	int n;

	dp_check_not_null(fcinfo, 3, "counts");
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(3), INT8OID, sizeof(int64), FLOAT8PASSBYVAL,
					  TYPALIGN_DOUBLE, &elements, &nulls, &n);
	if (n != tuples)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("there must be a count for each cell"),
						errdetail("There are %d cells and %d counts.", tuples, n)));
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
	nano = dp_epsilon_from_numeric(PG_GETARG_NUMERIC(4), true, "uncertainty");
	if (nano < 1 || nano > DP_PRIOR_UNCERTAINTY_ONE)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("uncertainty must be between 0.000000001 and 1"),
						errdetail("It is the standard deviation of the share of rows in a cell.")));
	return nano;
}

static void
priors_drop(const DpLevelSet *asked)
{
	Oid types[2] = {INT4OID, NAMEARRAYOID};
	Datum values[2] = {Int32GetDatum(asked->dataset.id), 0};

	if (asked->width > 0)
		values[1] = dp_level_names(asked);
	(void) dp_write_catalog("DELETE FROM @.dp_dataset_prior WHERE dataset = $1"
							" AND ($2 IS NULL OR columns = $2)",
							SPI_OK_DELETE, 2, types, values, asked->width > 0 ? NULL : " n");
}

/* With all others that fit, in full: an error takes back what was written. */
static void
check_together(DpLevelSet *asked)
{
	DpError error = {0};

	dp_priors_read(asked->domain, asked->dataset.id, false);
	if (dp_domain_check(&asked->domain->domain, &error) != DP_OK)
		dp_raise(&error);
}

static void
priors_write(FunctionCallInfo fcinfo, DpLevelSet *asked)
{
	Oid types[5] = {INT4OID, NAMEARRAYOID, TEXTARRAYOID, INT8ARRAYOID, INT8OID};
	Datum values[5] = {Int32GetDatum(asked->dataset.id), dp_level_names(asked)};
	DpElevation elevation;
	int tuples;

	asked->domain = dp_relation_domain(asked->relation, asked->dataset.id, false);
	dp_level_attributes(asked);
	limits_hold(dp_domain_cells(&asked->domain->domain, asked->attribute, asked->width) <=
				DP_PRIOR_CELLS_MAX);
	dp_become_owner(&elevation, dp_relation_owner(asked->relation)); /* types may run code */
	values[2] = PointerGetDatum(dp_level_combinations(fcinfo, asked, &tuples));
	dp_unelevate(&elevation);
	values[3] = counts_argument(fcinfo, tuples);
	values[4] = Int64GetDatum(uncertainty_argument(fcinfo));
	(void) dp_write_catalog("INSERT INTO @.dp_dataset_prior"
							" (dataset, columns, cells, counts, uncertainty_nano)"
							" VALUES ($1, $2, $3, $4, $5)",
							SPI_OK_INSERT, 5, types, values, NULL);
	check_together(asked);
}

Datum
dp_define_priors(PG_FUNCTION_ARGS)
{
	DpLevelSet asked = {0};

	dp_check_not_null(fcinfo, 0, "relation");
	dp_check_not_null(fcinfo, 1, "columns");
	asked.relation = PG_GETARG_OID(0);
	dp_check_custodian(asked.relation, "declare its priors");
	dp_dataset_get(asked.relation, false, &asked.dataset);
	dp_level_columns(fcinfo, &asked);
	priors_drop(&asked);
	if (!PG_ARGISNULL(2) &&
		ArrayGetNItems(ARR_NDIM(PG_GETARG_ARRAYTYPE_P(2)), ARR_DIMS(PG_GETARG_ARRAYTYPE_P(2))) > 0)
		priors_write(fcinfo, &asked);
	PG_RETURN_VOID();
}

Datum
dp_undefine_priors(PG_FUNCTION_ARGS)
{
	DpLevelSet asked = {0};

	dp_check_not_null(fcinfo, 0, "relation");
	asked.relation = PG_GETARG_OID(0);
	dp_check_custodian(asked.relation, "drop its priors");
	dp_dataset_get(asked.relation, false, &asked.dataset);
	if (!PG_ARGISNULL(1))
		dp_level_columns(fcinfo, &asked);
	priors_drop(&asked);
	PG_RETURN_VOID();
}
