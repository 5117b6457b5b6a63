/*
 * hierarchy.c -- dp_define_hierarchy: a public hierarchy of a column's
 * categories, as the custodian states it; and reading it for a release.
 *
 * It is stated in one of three ways: by paths, an array of arrays {code, block, chapter}, which the
 * custodian's own query makes of any table; by the lengths of prefixes of the codes; or by columns
 * that dictionaries give for this one (derived_from). What was written is kept in dpsyn's catalog,
 * and releases make boundaries (core/domain/range.h) of it. A category without a path, or with
 * a path that is not whole, is in a node of such categories.
 */
#include "pg/domain/declared_facts.h"

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "core/domain/range.h"
#include "pg/budget/dataset.h"
#include "pg/domain/derived.h"
#include "pg/domain/public_keys.h"
#include "pg/server/arguments.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"

#define PATHS_MAX 1000000

PG_FUNCTION_INFO_V1(dp_define_hierarchy);

/* One row of dp_dataset_hierarchy. Exactly one of prefix, given and path is set. */
typedef struct Stored
{
	const char *column;
	int levels;    /* above the categories, finest first */
	Datum *prefix; /* [levels] int4: characters, descending */
	Datum *given;  /* [levels] name: columns that dictionaries give */
	Datum *path;   /* [paths x (levels + 1)] text: a category, and its node on each level */
	int paths;
} Stored;

/* A category with its node on each level; NULL: none on any. */
typedef struct Placed
{
	const char *label;
	const char **node; /* [levels] finest first */
	int levels;
	uint32 place; /* in the list as it was declared */
} Placed;

/* ---- nodes of a category ---- */

static int
compare_paths(const void *a, const void *b)
{
	return strcmp(**(const char **const *) a, **(const char **const *) b);
}

/* The paths as arrays of texts, sorted by their categories. */
static const char ***
paths_sorted(const Stored *stored)
{
	int width = stored->levels + 1;
	const char ***path = palloc(sizeof(char **) * Max(stored->paths, 1));

	for (int i = 0; i < stored->paths; i++)
	{
		path[i] = palloc(sizeof(char *) * width);
		for (int k = 0; k < width; k++)
			path[i][k] = TextDatumGetCString(stored->path[(Size) i * width + k]);
	}
	qsort(path, stored->paths, sizeof(char **), compare_paths);
	for (int i = 1; i < stored->paths; i++)
		for (int k = 1; strcmp(path[i - 1][0], path[i][0]) == 0 && k < width; k++)
			if (strcmp(path[i - 1][k], path[i][k]) != 0)
				ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
								errmsg("category \"%s\" of column \"%s\" has two paths", path[i][0],
									   stored->column),
								errdetail("On level %d it is in \"%s\" and in \"%s\".", k,
										  path[i - 1][k], path[i][k])));
	return path;
}

static const char **
nodes_of_path(const Stored *stored, const char ***sorted, const char *label)
{
	const char **key = &label;
	const char ***found = bsearch(&key, sorted, stored->paths, sizeof(char **), compare_paths);

	return found == NULL ? NULL : *found + 1;
}

static const char **
nodes_of_prefixes(const Stored *stored, const char *label)
{
	const char **node = palloc(sizeof(char *) * stored->levels);
	int length = (int) strlen(label);

	for (int k = 0; k < stored->levels; k++)
		node[k] =
			pnstrdup(label, pg_mbcharcliplen(label, length, DatumGetInt32(stored->prefix[k])));
	return node;
}

/* The dictionary of a column that is derived from this one. */
static Jsonb *
dictionary_of(const DpRelation *relation, const Stored *stored, int level)
{
	const char *name = NameStr(*DatumGetName(stored->given[level]));
	ListCell *cell;

	foreach (cell, relation->derived)
	{
		const DpDerived *derived = lfirst(cell);

		if (strcmp(derived->column, name) == 0 && strcmp(derived->base, stored->column) == 0)
			return derived->dictionary;
	}
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("column \"%s\" is not derived from column \"%s\"", name, stored->column),
			 errdetail("A level of a hierarchy was to be read from its dictionary."),
			 errhint("Declare it with dp_define_column and derived_from, or hand the levels over "
					 "as paths.")));
}

static const char **
nodes_of_columns(const Stored *stored, Jsonb *const *dictionary, const char *label)
{
	const char **node = palloc(sizeof(char *) * stored->levels);

	for (int k = 0; k < stored->levels; k++)
	{
		node[k] = dp_dictionary_look_up(dictionary[k], label);
		if (node[k] == NULL)
			return NULL;
	}
	return node;
}

/* The categories of an attribute, each with its nodes. */
static Placed *
place_labels(const DpRelation *relation, const DpAttribute *attribute, const Stored *stored)
{
	Placed *placed = palloc_extended(sizeof(Placed) * Max(attribute->labels_n, 1), MCXT_ALLOC_HUGE);
	Jsonb *dictionary[DP_HIERARCHY_LEVELS_MAX];
	const char ***sorted = stored->path == NULL ? NULL : paths_sorted(stored);
	bool any = false;

	for (int k = 0; stored->given != NULL && k < stored->levels; k++)
		dictionary[k] = dictionary_of(relation, stored, k);
	for (uint32 i = 0; i < attribute->labels_n; i++)
	{
		const char *label = attribute->labels[i];
		const char **node = sorted != NULL           ? nodes_of_path(stored, sorted, label)
							: stored->prefix != NULL ? nodes_of_prefixes(stored, label)
													 : nodes_of_columns(stored, dictionary, label);

		CHECK_FOR_INTERRUPTS();
		placed[i] = (Placed){label, node, stored->levels, i};
		any |= node != NULL;
	}
	if (!any)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the hierarchy names no category of column \"%s\"", stored->column),
						errhint("Write a category as the view dp_columns shows it.")));
	return placed;
}

/* ---- levels that nest ---- */

/* By the nodes, the coarsest first, and then by the order of the list. Those without a path are
 * the last. */
static int
compare_placed(const void *a, const void *b)
{
	const Placed *one = a;
	const Placed *other = b;
	int order = (one->node == NULL) - (other->node == NULL);

	for (int k = one->levels; k-- > 0 && order == 0 && one->node != NULL;)
		order = strcmp(one->node[k], other->node[k]);
	return order != 0 ? order : (one->place > other->place) - (one->place < other->place);
}

static int
compare_nodes(const void *a, const void *b, void *level)
{
	const Placed *one = *(const Placed *const *) a;
	const Placed *other = *(const Placed *const *) b;

	return strcmp(one->node[*(int *) level], other->node[*(int *) level]);
}

/* ERROR unless each node of a level is in one node of the next. */
static void
check_nested(const Stored *stored, const Placed *placed, uint32 n)
{
	const Placed **sorted = palloc_extended(sizeof(Placed *) * Max(n, 1), MCXT_ALLOC_HUGE);
	int nodes = 0;

	for (uint32 i = 0; i < n; i++)
		if (placed[i].node != NULL)
			sorted[nodes++] = &placed[i];
	for (int k = 0; k + 1 < stored->levels; k++)
	{
		qsort_arg(sorted, nodes, sizeof(Placed *), compare_nodes, &k);
		for (int i = 1; i < nodes; i++)
		{
			const char **one = sorted[i - 1]->node;
			const char **other = sorted[i]->node;

			if (strcmp(one[k], other[k]) == 0 && strcmp(one[k + 1], other[k + 1]) != 0)
				ereport(
					ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("levels of the hierarchy of column \"%s\" do not nest", stored->column),
					 errdetail("\"%s\" on level %d is in \"%s\" by \"%s\", and in \"%s\" by "
							   "\"%s\".",
							   one[k], k + 1, one[k + 1], sorted[i - 1]->label, other[k + 1],
							   sorted[i]->label),
					 errhint("Two nodes of one name need names that differ, such as "
							 "county || ', ' || state.")));
		}
	}
	pfree(sorted);
}

/* On how many levels two categories are in different nodes. */
static uint8
boundary_between(const Placed *one, const Placed *other)
{
	if (one->node == NULL && other->node == NULL)
		return 0;
	if (one->node == NULL || other->node == NULL)
		return (uint8) one->levels;
	for (int k = one->levels; k > 0; k--)
		if (strcmp(one->node[k - 1], other->node[k - 1]) != 0)
			return (uint8) k;
	return 0;
}

/* Gives the categories the order of the hierarchy, and the attribute its boundaries. */
static void
hierarchy_apply(const DpRelation *relation, DpAttribute *attribute, const Stored *stored)
{
	uint32 n = attribute->labels_n;
	Placed *placed = place_labels(relation, attribute, stored);
	const char **labels = palloc_extended(sizeof(char *) * Max(n, 1), MCXT_ALLOC_HUGE);
	uint8 *boundary = palloc_extended(Max(n, 1), MCXT_ALLOC_HUGE);

	check_nested(stored, placed, n);
	qsort(placed, n, sizeof(Placed), compare_placed);
	for (uint32 i = 0; i < n; i++)
	{
		labels[i] = placed[i].label;
		boundary[i] = i == 0 ? 0 : boundary_between(&placed[i - 1], &placed[i]);
	}
	attribute->labels = labels;
	attribute->boundary = boundary;
}

/* ---- reading the catalog ---- */

static Stored
stored_read(uint64 row)
{
	bool none[3];
	int n;
	Datum prefixes = dp_spi_value(row, 2, &none[0]);
	Datum columns = dp_spi_value(row, 3, &none[1]);
	Datum paths = dp_spi_value(row, 4, &none[2]);
	Stored stored = {.column = dp_spi_text(row, 1), .levels = dp_spi_int32(row, 5)};

	if (stored.levels < 1 || stored.levels > DP_HIERARCHY_LEVELS_MAX)
		elog(ERROR, "dpsyn: a stored hierarchy has %d levels", stored.levels);
	if (!none[0])
		stored.prefix = dp_elements(PointerGetDatum(DatumGetArrayTypePCopy(prefixes)), NULL, &n);
	else if (!none[1])
		stored.given = dp_elements(PointerGetDatum(DatumGetArrayTypePCopy(columns)), NULL, &n);
	else
	{
		stored.path = dp_elements(PointerGetDatum(DatumGetArrayTypePCopy(paths)), NULL, &n);
		stored.paths = n / (stored.levels + 1);
		n = stored.levels;
	}
	if (n != stored.levels)
		elog(ERROR, "dpsyn: a stored hierarchy has not all of its levels");
	return stored;
}

static DP_NORETURN void
no_categories(const DpRelation *relation, const char *column)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("column \"%s\" of relation \"%s\" has a hierarchy, and no list of categories",
					column, dp_relation_words(relation->oid)),
			 errhint("Its custodian can declare categories with dp_define_column, or drop the "
					 "hierarchy with dp_define_hierarchy.")));
}

/* Columns that refer to public tables have the hierarchies of their keys, until one is declared. */
static void
hierarchies_of_keys(DpRelation *relation)
{
	for (uint32 a = 0; a < relation->domain.attributes; a++)
		if (relation->column[a].keys != NULL)
			relation->domain.attribute[a].boundary = relation->column[a].keys->boundary;
}

void
dp_hierarchies_read(DpRelation *relation, int32 dataset_id)
{
	MemoryContext caller = CurrentMemoryContext;
	DpUserContext user_context;
	uint64 rows;

	hierarchies_of_keys(relation);
	dp_catalog_open(&user_context);
	rows = dp_spi_read("SELECT column_name, prefixes, columns, paths, levels"
					   " FROM dp_catalog.dp_dataset_hierarchy WHERE dataset = $1"
					   " ORDER BY column_name",
					   DP_ARGUMENTS(DP_INT32(dataset_id)));
	for (uint64 i = 0; i < rows; i++)
	{
		MemoryContext spi = MemoryContextSwitchTo(caller);
		Stored stored = stored_read(i);
		int index = dp_domain_find(&relation->domain, stored.column);
		bool asserted = index >= 0 && strcmp(relation->column[index].source, "asserted") == 0;

		if (!asserted)
		{
			if (index < 0 || !dp_attribute_has_levels(&relation->domain.attribute[index]) ||
				relation->domain.attribute[index].kind != DP_CATEGORIES)
				no_categories(relation, stored.column);
			hierarchy_apply(relation, &relation->domain.attribute[index], &stored);
		}
		MemoryContextSwitchTo(spi);
	}
	dp_catalog_close(&user_context);
}

/* ---- what the custodian wrote ---- */

enum
{
	RELATION,
	COLUMN,
	PATHS,
	PREFIXES,
	COLUMNS
};

static void
check_levels(int levels)
{
	if (levels < 1 || levels > DP_HIERARCHY_LEVELS_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a hierarchy has 1 to %d levels above the categories",
							   DP_HIERARCHY_LEVELS_MAX)));
}

/* How many levels paths have. */
static int
levels_of_paths(ArrayType *paths)
{
	if (ARR_NDIM(paths) != 2)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR), errmsg("paths must be an array of arrays"),
				 errdetail("Each has a category, and then its node on each level, the "
						   "finest level first."),
				 errhint("SELECT dp_define_hierarchy('visits', 'code', "
						 "array_agg(ARRAY[code, block, chapter])) FROM icd.")));
	if (array_contains_nulls(paths))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("paths must not contain NULL")));
	if (ARR_DIMS(paths)[0] > PATHS_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("too many paths"),
						errdetail("The limit is %d.", PATHS_MAX)));
	return ARR_DIMS(paths)[1] - 1;
}

static int
levels_of_prefixes(ArrayType *prefixes)
{
	bool *nulls;
	int n;
	Datum *length = dp_elements(PointerGetDatum(prefixes), &nulls, &n);

	for (int k = 0; k < n; k++)
		if (nulls[k] || DatumGetInt32(length[k]) < 1 ||
			(k > 0 && DatumGetInt32(length[k]) >= DatumGetInt32(length[k - 1])))
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("prefixes must be lengths that descend, and at least 1"),
							errhint("For instance '{3,1}': I21.4 is in I21, and that in I.")));
	return n;
}

static int
levels_of_columns(ArrayType *columns)
{
	int n;
	bool *nulls;

	(void) dp_elements(PointerGetDatum(columns), &nulls, &n);
	for (int k = 0; k < n; k++)
		if (nulls[k])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("columns must not contain NULL")));
	return n;
}

/* -1 where what is given is empty: the hierarchy is removed. */
static int
levels_argument(FunctionCallInfo fcinfo)
{
	const ArrayType *array = NULL;
	int given = 0;

	for (int i = PATHS; i <= COLUMNS; i++)
	{
		given += !PG_ARGISNULL(i);
		if (!PG_ARGISNULL(i))
			array = PG_GETARG_ARRAYTYPE_P(i);
	}
	if (given > 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("only one of paths, prefixes and columns may be given"),
						errhint("To remove a hierarchy, write paths => '{}'.")));
	if (given == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("paths, prefixes and columns must not all be null"),
				 errhint("To remove a hierarchy, write paths => '{}'. array_agg of no rows is "
						 "NULL.")));
	if (ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)) == 0)
		return -1;
	if (!PG_ARGISNULL(PATHS))
		return levels_of_paths(PG_GETARG_ARRAYTYPE_P(PATHS));
	if (!PG_ARGISNULL(PREFIXES))
		return levels_of_prefixes(PG_GETARG_ARRAYTYPE_P(PREFIXES));
	return levels_of_columns(PG_GETARG_ARRAYTYPE_P(COLUMNS));
}

/* The paths in one dimension, as they are stored. */
static DpArgument
paths_argument(FunctionCallInfo fcinfo)
{
	int n;
	Datum *texts;

	if (PG_ARGISNULL(PATHS))
		return (DpArgument){TEXTARRAYOID, (Datum) 0, true};
	texts = dp_elements(PG_GETARG_DATUM(PATHS), NULL, &n);
	return (DpArgument){TEXTARRAYOID, dp_text_array(texts, n), false};
}

static void
custodian_of(FunctionCallInfo fcinfo, const char *action, DpDataset *dataset)
{
	dp_check_not_null(fcinfo, RELATION, "relation");
	dp_check_custodian(PG_GETARG_OID(RELATION), action);
	dp_dataset_get(PG_GETARG_OID(RELATION), false, dataset);
}

static void
drop(const DpDataset *dataset, DpArgument column)
{
	(void) dp_catalog_write("DELETE FROM dp_catalog.dp_dataset_hierarchy WHERE dataset = $1"
							" AND ($2 IS NULL OR column_name = $2)",
							DP_ARGUMENTS(DP_INT32(dataset->id), column));
}

Datum
dp_define_hierarchy(PG_FUNCTION_ARGS)
{
	DpDataset dataset;
	DpRelation *relation;
	const DpAttribute *attribute;
	const char *column;
	int levels;

	custodian_of(fcinfo, "declare its hierarchies", &dataset);
	levels = levels_argument(fcinfo);
	if (levels < 0)
	{
		drop(&dataset, PG_ARGISNULL(COLUMN) ? (DpArgument){NAMEOID, (Datum) 0, true}
											: dp_name_argument(NameStr(*PG_GETARG_NAME(COLUMN))));
		PG_RETURN_VOID();
	}
	dp_check_not_null(fcinfo, COLUMN, "column_name");
	column = NameStr(*PG_GETARG_NAME(COLUMN));
	check_levels(levels);
	relation = dp_relation_domain(PG_GETARG_OID(RELATION), dataset.id, false);
	attribute = &relation->domain.attribute[dp_relation_attribute(relation, column)];
	if (!dp_attribute_has_levels(attribute) || attribute->kind != DP_CATEGORIES)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("column \"%s\" has no list of categories", column),
						errdetail("A hierarchy is of categories that are listed."),
						errhint("Declare its categories with dp_define_column.")));
	drop(&dataset, dp_name_argument(column));
	(void) dp_catalog_write(
		"INSERT INTO dp_catalog.dp_dataset_hierarchy"
		" (dataset, column_name, levels, prefixes, columns, paths) VALUES ($1, $2, $3, $4, $5, $6)",
		DP_ARGUMENTS(DP_INT32(dataset.id), dp_name_argument(column), DP_INT32(levels),
					 {INT4ARRAYOID, PG_ARGISNULL(PREFIXES) ? 0 : PG_GETARG_DATUM(PREFIXES),
					  PG_ARGISNULL(PREFIXES)},
					 {NAMEARRAYOID, PG_ARGISNULL(COLUMNS) ? 0 : PG_GETARG_DATUM(COLUMNS),
					  PG_ARGISNULL(COLUMNS)},
					 paths_argument(fcinfo)));
	dp_hierarchies_read(relation, dataset.id); /* an error undoes what was written */
	PG_RETURN_VOID();
}
