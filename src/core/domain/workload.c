/*
 * workload.c -- reading sets of attributes.
 *
 * A set is a list of names, or one text, "age,income". In a text, names are
 * divided by commas and blanks around them don't count; a name in double quotes
 * is taken as it is, with two double quotes for one in it, as SQL quotes
 * identifiers. Unlike SQL, a name without quotes is taken as it is written, too:
 * "Age" is the column Age, as in a list of type name[].
 */
#include "workload.h"

#include <string.h>

#include "account.h"
#include "saturate.h"
#include "sort.h"
#include "subsets.h"

typedef struct Reader
{
	const char *option;
	const DpDomain *domain;
	DpArena *arena;
	DpError *error;
	uint32_t member[DP_ATTRIBUTES_MAX]; /* of the set that is read */
	uint32_t members;
} Reader;

/* ---- errors ---- */

static DpStatus
fail_many(const char *option, uint32_t sets_max, DpError *error)
{
	(void) dp_fail(error, DP_ERR_LIMIT, "option \"%s\" stands for too many sets of columns",
				   option);
	dp_fail_detail(error, "The limit is %u.", sets_max);
	dp_fail_hint(error, "List the sets that matter, take smaller ones, or model fewer columns with "
						"\"attributes\".");
	return DP_ERR_LIMIT;
}

static DpStatus
fail_cells(const char *option, uint64_t cells, uint64_t cells_max, DpError *error)
{
	(void) dp_fail(error, DP_ERR_LIMIT, "the tables of option \"%s\" have too many cells", option);
	if (cells == UINT64_MAX)
		dp_fail_detail(error, "Together they have more than 1.8e19 cells; the limit is %llu.",
					   (unsigned long long) cells_max);
	else
		dp_fail_detail(error, "Together they have %llu cells; the limit is %llu.",
					   (unsigned long long) cells, (unsigned long long) cells_max);
	dp_fail_hint(error, "Take smaller sets, coarser bins, or fewer columns with \"attributes\".");
	return DP_ERR_LIMIT;
}

static DpStatus
fail_set(const Reader *reader, const char *what)
{
	(void) dp_fail(reader->error, DP_ERR_ARGUMENT, "option \"%s\" %s", reader->option, what);
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
	DP_TRY(dp_option_column(reader->option, name, reader->domain, &index, reader->error));
	for (uint32_t i = 0; i < reader->members; i++)
	{
		if (reader->member[i] == index)
			return fail_set(reader, "names a column twice in one set");
	}
	reader->member[reader->members++] = index;
	return DP_OK;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Copies a name in quotes, **at being what follows the first; leaves *at behind the last. */
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

/* "a, b" or "\"a, b\", c": see above. */
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

static void
sort_members(uint32_t *member, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
	{
		uint32_t value = member[i];
		uint32_t k = i;

		for (; k > 0 && member[k - 1] > value; k--)
			member[k] = member[k - 1];
		member[k] = value;
	}
}

/* The members in ascending order, as a set. */
static DpStatus
keep_members(Reader *reader, DpWorkloadSet *set)
{
	if (reader->members == 0)
		return fail_set(reader, "holds an empty set");
	sort_members(reader->member, reader->members);
	set->n = reader->members;
	set->attribute =
		dp_memdup(reader->arena, reader->member, reader->members * sizeof(*reader->member));
	return set->attribute == NULL ? DP_ERR_MEMORY : DP_OK;
}

static DpStatus
set_from_text(Reader *reader, const char *text, DpWorkloadSet *set)
{
	size_t bytes = strlen(text) + 1;
	char *name = dp_alloc(reader->arena, bytes, 1);

	if (name == NULL)
		return DP_ERR_MEMORY;
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
				   reader->option);
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
	return dp_attributes_compare(a->attribute, a->n, b->attribute, b->n);
}

static bool
comes_before(const void *context, uint64_t a, uint64_t b)
{
	const DpWorkload *workload = context;

	return compare_sets(&workload->set[a], &workload->set[b]) < 0;
}

/* Both at most a little over DP_WEIGHT_MAX, and so is the sum: check_weights finds it. */
static void
add_weight(int64_t *sum, int64_t weight_nano)
{
	*sum = *sum + weight_nano <= DP_WEIGHT_MAX ? *sum + weight_nano : DP_WEIGHT_MAX + 1;
}

/* Into order, what is listed twice once. */
static DpStatus
sort_and_merge(DpArena *arena, DpWorkload *workload)
{
	uint32_t n = workload->sets;
	DpWorkloadSet *sorted = dp_alloc(arena, n, sizeof(*sorted));
	uint64_t *order = dp_alloc(arena, n, sizeof(*order));
	uint32_t kept = 0;

	if (sorted == NULL || order == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	DP_TRY(dp_sort_indexes(arena, order, n, comes_before, workload));
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
workload_listed(Reader *reader, const DpOption *option, uint32_t sets_max, DpWorkload *workload)
{
	workload->sets = listed_sets(option);
	if (workload->sets == 0)
		return fail_set(reader, "lists no sets");
	if (workload->sets > sets_max)
		return fail_many(option->name, sets_max, reader->error);
	workload->set = dp_alloc(reader->arena, workload->sets, sizeof(*workload->set));
	if (workload->set == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(read_listed(reader, option, workload));
	DP_TRY(sort_and_merge(reader->arena, workload));
	return check_weights(reader, workload);
}

/* ---- all sets of one size ---- */

/* From one set of n of attributes to the next in lexicographic order. */
static void
advance(uint32_t *member, uint32_t n, uint32_t attributes)
{
	uint32_t i = n - 1;

	while (i > 0 && member[i] == attributes - n + i)
		i--;
	member[i]++;
	for (uint32_t k = i + 1; k < n; k++)
		member[k] = member[k - 1] + 1;
}

DpStatus
dp_workload_all(uint32_t attributes, uint32_t size, uint32_t sets_max, DpArena *arena,
				DpWorkload *workload)
{
	uint64_t sets = dp_choose(attributes, size);
	uint32_t member[DP_ATTRIBUTES_MAX];

	if (size < 1 || size > attributes || attributes > DP_ATTRIBUTES_MAX)
		return DP_ERR_ARGUMENT;
	if (sets > sets_max)
		return DP_ERR_LIMIT;
	workload->sets = (uint32_t) sets;
	workload->set = dp_alloc(arena, sets, sizeof(*workload->set));
	if (workload->set == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t k = 0; k < size; k++)
		member[k] = k;
	for (uint32_t i = 0; i < workload->sets; i++)
	{
		DpWorkloadSet *set = &workload->set[i];

		*set = (DpWorkloadSet){.n = size, .weight_nano = DP_WEIGHT_ONE};
		set->attribute = dp_memdup(arena, member, size * sizeof(*member));
		if (set->attribute == NULL)
			return DP_ERR_MEMORY;
		if (i + 1 < workload->sets)
			advance(member, size, attributes);
	}
	return DP_OK;
}

static DpStatus
fail_size(const Reader *reader, uint32_t size)
{
	(void) dp_fail(reader->error, DP_ERR_ARGUMENT, "option \"%s\" asks for sets of %u columns",
				   reader->option, size);
	dp_fail_detail(reader->error, "Modelled are %u.", reader->domain->attributes);
	dp_fail_hint(reader->error, "Take a smaller number, or more columns.");
	return DP_ERR_ARGUMENT;
}

static DpStatus
workload_of_size(Reader *reader, uint32_t size, bool given, uint32_t sets_max, DpWorkload *workload)
{
	uint32_t attributes = reader->domain->attributes;
	DpStatus status;

	if (size > attributes && given)
		return fail_size(reader, size);
	status = dp_workload_all(attributes, size < attributes ? size : attributes, sets_max,
							 reader->arena, workload);
	return status == DP_ERR_LIMIT ? fail_many(reader->option, sets_max, reader->error) : status;
}

/* ---- reading ---- */

static bool
has_open(const DpWorkloadSet *set, const DpDomain *domain)
{
	for (uint32_t k = 0; k < set->n; k++)
	{
		if (domain->attribute[set->attribute[k]].open)
			return true;
	}
	return false;
}

static DpStatus
check_cells(const char *option, const DpWorkload *workload, const DpDomain *domain,
			uint64_t cells_max, DpError *error)
{
	uint64_t cells = 0;

	for (uint32_t i = 0; i < workload->sets; i++)
	{
		const DpWorkloadSet *set = &workload->set[i];

		if (!has_open(set, domain))
			cells = dp_add_saturated(cells, dp_domain_cells(domain, set->attribute, set->n));
	}
	return cells_max == 0 || cells <= cells_max ? DP_OK
												: fail_cells(option, cells, cells_max, error);
}

DpStatus
dp_workload_read(const DpOptions *options, const DpOptionSpec *specs, uint32_t n, const char *name,
				 const DpDomain *domain, const DpWorkloadLimits *limits, DpArena *arena,
				 DpWorkload *workload, DpError *error)
{
	const DpOption *option = dp_option_lists(options, name);
	Reader reader = {.option = name, .domain = domain, .arena = arena, .error = error};

	*workload = (DpWorkload){.sets = 0};
	if (option != NULL && option->kind != DP_VALUE_NUMBER)
		DP_TRY(workload_listed(&reader, option, limits->sets_max, workload));
	else
		DP_TRY(workload_of_size(&reader, (uint32_t) dp_option_integer(options, specs, n, name),
								option != NULL, limits->sets_max, workload));
	return check_cells(name, workload, domain, limits->cells_max, error);
}

/* ---- questions ---- */

uint64_t
dp_workload_cells(const DpWorkload *workload, const DpDomain *domain)
{
	uint64_t cells = 0;

	for (uint32_t i = 0; i < workload->sets; i++)
		cells = dp_add_saturated(
			cells, dp_domain_cells(domain, workload->set[i].attribute, workload->set[i].n));
	return cells;
}

uint32_t
dp_workload_uncovered(const DpWorkload *workload, uint32_t attributes)
{
	bool covered[DP_ATTRIBUTES_MAX] = {false};
	uint32_t a = 0;

	for (uint32_t i = 0; i < workload->sets; i++)
	{
		for (uint32_t k = 0; k < workload->set[i].n; k++)
			covered[workload->set[i].attribute[k]] = true;
	}
	while (a < attributes && covered[a])
		a++;
	return a;
}

bool
dp_workload_within(const DpWorkloadSet *a, const DpWorkloadSet *b)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < b->n && k < a->n; i++)
		k += a->attribute[k] == b->attribute[i];
	return k == a->n;
}
