/*
 * workload.c -- reading sets of attributes.
 *
 * A set is a list of names, or one text, "age,income". In a text, commas divide names, and
 * blanks around a name do not count. A name in double quotes is taken as it is, with two
 * double quotes for one in it, as SQL quotes identifiers. Unlike in SQL, a name without
 * quotes is taken as it is written, too: "Age" is the column Age, as in a list of type
 * name[].
 */
#include "core/domain/workload.h"

#include <string.h>

#include "core/base/index_list.h"
#include "core/base/decimal.h"
#include "core/base/saturate.h"
#include "core/base/sort.h"
#include "core/domain/attribute_set.h"

#define TICK_SETS 64 /* between two ticks */

typedef struct Reader
{
	const DpWorkloadQuery *query;
	DpArena *arena;
	DpError *error;
	uint32_t member[DP_ATTRIBUTES_MAX]; /* attributes of the set that is read */
	uint32_t members;
} Reader;

/* ---- errors ---- */

static DpStatus
fail_many(const Reader *reader)
{
	(void) dp_fail(reader->error, DP_ERR_LIMIT, "option \"%s\" stands for too many sets of columns",
				   reader->query->option);
	dp_fail_detail(reader->error, "The limit is %u.", reader->query->sets_max);
	dp_fail_hint(reader->error,
				 "List the sets that matter, take smaller ones, or model fewer columns with "
				 "\"columns\".");
	return DP_ERR_LIMIT;
}

static DpStatus
fail_cells(const DpWorkloadQuery *query, uint64_t cells, DpError *error)
{
	(void) dp_fail(error, DP_ERR_LIMIT, "the tables of option \"%s\" have too many cells",
				   query->option);
	if (cells == UINT64_MAX)
		dp_fail_detail(error, "Together they have more than 1.8e19 cells; the limit is %llu.",
					   (unsigned long long) query->cells_max);
	else
		dp_fail_detail(error, "Together they have %llu cells; the limit is %llu.",
					   (unsigned long long) cells, (unsigned long long) query->cells_max);
	dp_fail_hint(error, "Take smaller sets, coarser bins, or fewer columns with \"columns\".");
	return DP_ERR_LIMIT;
}

static DpStatus
fail_set(const Reader *reader, const char *what)
{
	(void) dp_fail(reader->error, DP_ERR_ARGUMENT, "option \"%s\" %s", reader->query->option, what);
	dp_fail_detail(reader->error, "A set of columns names at least one column, and each once.");
	dp_fail_hint(reader->error,
				 "Write sets like [[\"a\", \"b\"], [\"b\", \"c\"]] or [\"a,b\", \"b,c\"]; a "
				 "name with a comma in it goes in double quotes.");
	return DP_ERR_ARGUMENT;
}

/* ---- one set ---- */

/* Adds a column to the set that is read. */
static DpStatus
add_member(Reader *reader, const char *name)
{
	uint32_t index;

	if (name == NULL || name[0] == '\0')
		return fail_set(reader, "holds an empty column name");
	DP_TRY(dp_option_column(reader->query->option, reader->query->domain, name, &index,
							reader->error));
	if (dp_index_among(reader->member, reader->members, index))
		return fail_set(reader, "names a column twice in one set");
	reader->member[reader->members++] = index;
	return DP_OK;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Copies a name in quotes. At first *at stands behind the opening quote, at the end behind the
 * closing one. */
static bool
unquote(const char **at, char *name)
{
	for (;; (*at)++)
	{
		if (**at == '\0')
			return false;
		if (**at == '"' && *++(*at) != '"')
			break;
		*name++ = **at;
	}
	*name = '\0';
	return true;
}

/* Copies a name without quotes, up to a comma or the end. */
static void
copy_plain(const char **at, char *name)
{
	const char *start = *at;
	size_t length;

	*at += strcspn(start, ",");
	length = (size_t) (*at - start);
	while (length > 0 && is_blank(start[length - 1]))
		length--;
	memcpy(name, start, length);
	name[length] = '\0';
}

static const char *
skip_blanks(const char *at)
{
	while (is_blank(*at))
		at++;
	return at;
}

/* Reads a text such as "a, b" or "\"a, b\", c". The head of this file describes it. */
static DpStatus
read_text(Reader *reader, const char *text, char *name)
{
	const char *at = skip_blanks(text);

	if (*at == '\0')
		return fail_set(reader, "holds an empty set");
	for (;;)
	{
		if (*at == '"')
		{
			at++;
			if (!unquote(&at, name))
				return fail_set(reader, "holds a name whose quotes do not end");
		}
		else
			copy_plain(&at, name);
		DP_TRY(add_member(reader, name));
		at = skip_blanks(at);
		if (*at == '\0')
			return DP_OK;
		if (*at != ',')
			return fail_set(reader, "has something between a name and a comma");
		at = skip_blanks(at + 1);
	}
}

/* The members in ascending order, as a set. */
static DpStatus
keep_members(Reader *reader, DpWorkloadSet *set)
{
	if (reader->members == 0)
		return fail_set(reader, "holds an empty set");
	dp_index_sort(reader->member, reader->members);
	set->of =
		(DpAttributeSet){reader->members, dp_memdup(reader->arena, reader->member,
													reader->members * sizeof(*reader->member))};
	return set->of.attribute == NULL ? DP_ERR_MEMORY : DP_OK;
}

static DpStatus
set_from_text(Reader *reader, const char *text, DpWorkloadSet *set)
{
	size_t bytes = strlen(text) + 1;
	char *name = dp_alloc(reader->arena, bytes, 1);

	DP_TRY_ALLOC(name);
	reader->members = 0;
	DP_TRY(read_text(reader, text, name));
	dp_free(reader->arena, name, bytes, 1);
	return keep_members(reader, set);
}

static DpStatus
set_from_names(Reader *reader, const DpNameList *list, DpWorkloadSet *set)
{
	reader->members = 0;
	for (uint32_t i = 0; i < list->n; i++)
		DP_TRY(add_member(reader, list->name[i]));
	return keep_members(reader, set);
}

static DpStatus
fail_weight(const Reader *reader)
{
	(void) dp_fail(reader->error, DP_ERR_ARGUMENT, "option \"%s\" has a weight out of range",
				   reader->query->option);
	dp_fail_detail(reader->error, "A weight must be at least 0.000000001 and at most %lld.",
				   (long long) (DP_WEIGHT_MAX / DP_WEIGHT_ONE));
	dp_fail_hint(reader->error, "Only the ratio of weights matters: divide all of them.");
	return DP_ERR_ARGUMENT;
}

static DpStatus
read_weight(const Reader *reader, const char *text, int64_t *weight_nano)
{
	*weight_nano = DP_WEIGHT_ONE;
	if (text == NULL)
		return DP_OK;
	if (dp_decimal_parse(text, 9, false, weight_nano) != DP_OK || *weight_nano < 1 ||
		*weight_nano > DP_WEIGHT_MAX)
		return fail_weight(reader);
	return DP_OK;
}

/* ---- lists of sets ---- */

static uint32_t
listed_sets(const DpOption *option)
{
	return option->kind == DP_VALUE_LIST ? option->list[0].n : option->lists;
}

static DpStatus
read_listed(Reader *reader, const DpOption *option, DpWorkload *workload)
{
	for (uint32_t i = 0; i < workload->sets; i++)
	{
		DpWorkloadSet *set = &workload->set[i];
		bool texts = option->kind == DP_VALUE_LIST;
		const char *text = texts ? option->list[0].name[i] : option->list[i].key;

		if (i % TICK_SETS == 0)
			dp_tick(reader->query->tick, -1.0);
		if (text != NULL)
			DP_TRY(set_from_text(reader, text, set));
		else if (texts)
			return fail_set(reader, "holds an empty set");
		else
			DP_TRY(set_from_names(reader, &option->list[i], set));
		DP_TRY(read_weight(reader, texts || option->weight == NULL ? NULL : option->weight[i],
						   &set->weight_nano));
	}
	return DP_OK;
}

static int
compare_sets(const DpWorkloadSet *a, const DpWorkloadSet *b)
{
	return dp_attributes_compare(a->of.attribute, a->of.n, b->of.attribute, b->of.n);
}

static bool
comes_before(const void *context, uint64_t a, uint64_t b)
{
	const DpWorkload *workload = context;

	return compare_sets(&workload->set[a], &workload->set[b]) < 0;
}

/* The sum stops just over DP_WEIGHT_MAX, and check_weights refuses it then. No addition
 * overflows. */
static void
add_weight(int64_t *sum, int64_t weight_nano)
{
	*sum = *sum + weight_nano <= DP_WEIGHT_MAX ? *sum + weight_nano : DP_WEIGHT_MAX + 1;
}

/* Puts the sets into order, and makes one of those that are listed twice. */
static DpStatus
sort_and_merge(DpWorkload *workload, DpArena *arena)
{
	uint32_t n = workload->sets;
	DpWorkloadSet *sorted = dp_alloc(arena, n, sizeof(*sorted));
	uint64_t *order = dp_alloc(arena, n, sizeof(*order));
	uint32_t kept = 0;

	DP_TRY_ALLOC(sorted && order);
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	DP_TRY(dp_sort_indexes(order, n, comes_before, workload, arena));
	for (uint32_t i = 0; i < n; i++)
	{
		DpWorkloadSet *next = &workload->set[order[i]];

		if (kept > 0 && compare_sets(&sorted[kept - 1], next) == 0)
			add_weight(&sorted[kept - 1].weight_nano, next->weight_nano);
		else
			sorted[kept++] = *next;
	}
	dp_free(arena, order, n, sizeof(*order));
	dp_free(arena, workload->set, n, sizeof(*workload->set));
	workload->set = sorted;
	workload->sets = kept;
	return DP_OK;
}

static DpStatus
check_weights(const Reader *reader, const DpWorkload *workload)
{
	for (uint32_t i = 0; i < workload->sets; i++)
	{
		if (workload->set[i].weight_nano > DP_WEIGHT_MAX)
			return fail_weight(reader);
	}
	return DP_OK;
}

static DpStatus
workload_listed(Reader *reader, DpWorkload *workload)
{
	const DpOption *option = reader->query->given;

	workload->sets = listed_sets(option);
	if (workload->sets == 0)
		return fail_set(reader, "lists no sets");
	if (workload->sets > reader->query->sets_max)
		return fail_many(reader);
	workload->set = dp_alloc(reader->arena, workload->sets, sizeof(*workload->set));
	DP_TRY_ALLOC(workload->set);
	DP_TRY(read_listed(reader, option, workload));
	DP_TRY(sort_and_merge(workload, reader->arena));
	return check_weights(reader, workload);
}

/* ---- all sets of one size ---- */

static DpStatus
fail_size(const Reader *reader)
{
	(void) dp_fail(reader->error, DP_ERR_ARGUMENT, "option \"%s\" asks for sets of %u columns",
				   reader->query->option, reader->query->size);
	dp_fail_detail(reader->error, "Modelled are %u.", reader->query->domain->attributes);
	dp_fail_hint(reader->error, "Take a smaller number, or more columns.");
	return DP_ERR_ARGUMENT;
}

/* The default size may be larger than the domain. Then all attributes are one set. */
static DpStatus
workload_of_size(Reader *reader, DpWorkload *workload)
{
	const DpWorkloadQuery *query = reader->query;
	uint32_t attributes = query->domain->attributes;
	uint32_t size = query->size < attributes ? query->size : attributes;
	uint64_t sets = dp_combinations(attributes, size);

	if (query->size > attributes && query->given != NULL)
		return fail_size(reader);
	if (size < 1 || attributes > DP_ATTRIBUTES_MAX)
		return DP_ERR_ARGUMENT;
	if (sets > query->sets_max)
		return fail_many(reader);
	workload->sets = (uint32_t) sets;
	workload->set = dp_alloc(reader->arena, sets, sizeof(*workload->set));
	DP_TRY_ALLOC(workload->set);
	reader->members = size;
	for (uint32_t k = 0; k < size; k++)
		reader->member[k] = k;
	for (uint32_t i = 0; i < workload->sets; i++)
	{
		workload->set[i].weight_nano = DP_WEIGHT_ONE;
		DP_TRY(keep_members(reader, &workload->set[i]));
		if (i + 1 < workload->sets)
			dp_combination_next(reader->member, size, attributes);
	}
	return DP_OK;
}

bool
dp_workload_draws(const uint32_t *attribute, uint32_t n, const int32_t *known)
{
	for (uint32_t k = 0; k < n; k++)
		if (known[attribute[k]] == DP_DRAWN)
			return true;
	return false;
}

/*
 * How what is known depends on each other is not asked for. A model that does not know it takes the
 * evidence of two such attributes for that of independent ones, and draws from both too much; rows
 * that are drawn for trial mend that (core/sample/raking.h), at no cost.
 */
bool
dp_workload_is_of_use(const DpAttributeSet *set, const int32_t *known)
{
	int32_t subject = DP_DRAWN; /* the attribute that the known ones describe */

	for (uint32_t k = 0; k < set->n; k++)
	{
		int32_t of = known[set->attribute[k]];

		if (of >= 0 && subject >= 0 && of != subject)
			return false;
		subject = of >= 0 ? of : subject;
	}
	return dp_workload_draws(set->attribute, set->n, known) &&
		   (subject < 0 || dp_set_holds(set, (uint32_t) subject));
}

/* Where no set is left, all are kept. */
static void
keep_of_use(const DpWorkloadQuery *query, DpWorkload *workload)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < workload->sets; i++)
		if (dp_workload_is_of_use(&workload->set[i].of, query->known))
			workload->set[kept++] = workload->set[i];
	workload->sets = kept > 0 ? kept : workload->sets;
}

/* ---- reading ---- */

static DpStatus
check_cells(const DpWorkloadQuery *query, const DpWorkload *workload, DpError *error)
{
	uint64_t cells = 0;

	for (uint32_t i = 0; i < workload->sets; i++)
	{
		const DpWorkloadSet *set = &workload->set[i];

		if (!dp_cells_any_open(query->domain, set->of.attribute, set->of.n))
			cells = dp_add_saturated(cells,
									 dp_domain_cells(query->domain, set->of.attribute, set->of.n));
	}
	return query->cells_max == 0 || cells <= query->cells_max ? DP_OK
															  : fail_cells(query, cells, error);
}

DpStatus
dp_workload_read(const DpWorkloadQuery *query, DpWorkload *workload, DpArena *arena, DpError *error)
{
	Reader reader = {.query = query, .arena = arena, .error = error};

	*workload = (DpWorkload){.sets = 0};
	if (query->given != NULL && query->given->kind != DP_VALUE_NUMBER)
		DP_TRY(workload_listed(&reader, workload));
	else
		DP_TRY(workload_of_size(&reader, workload));
	if (query->given == NULL && query->known != NULL)
		keep_of_use(query, workload);
	return check_cells(query, workload, error);
}

/* ---- queries ---- */

uint64_t
dp_workload_cells(const DpWorkload *workload, const DpDomain *domain)
{
	uint64_t cells = 0;

	for (uint32_t i = 0; i < workload->sets; i++)
		cells = dp_add_saturated(
			cells, dp_domain_cells(domain, workload->set[i].of.attribute, workload->set[i].of.n));
	return cells;
}

uint32_t
dp_workload_uncovered(const DpWorkload *workload, uint32_t attributes)
{
	bool covered[DP_ATTRIBUTES_MAX] = {false};
	uint32_t a = 0;

	for (uint32_t i = 0; i < workload->sets; i++)
	{
		for (uint32_t k = 0; k < workload->set[i].of.n; k++)
			covered[workload->set[i].of.attribute[k]] = true;
	}
	while (a < attributes && covered[a])
		a++;
	return a;
}
