/*
 * public_keys.c -- which keys a column can hold that refers to a public table, and what groups them.
 *
 * A model does not tell twenty thousand parts apart, but it does 25 brands, and 50 sizes of each. So
 * the keys get a hierarchy, which is public: they are grouped by columns of few values, in levels
 * that grow finer and nest, each by one column more. Where the table refers to other public tables,
 * that is what groups its keys first (copies of films, cities of countries). Releases find out which
 * levels are far enough above the noise, as with any hierarchy (domain/declared_facts.h).
 */
#include "pg/domain/public_keys.h"

#include <math.h>

#include "common/hashfn.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "pg/budget/public_relation.h"
#include "pg/domain/schema_keys.h"
#include "pg/server/foreign_key.h"
#include "pg/server/numbers.h"
#include "pg/server/values.h"

#define LEVELS_MAX 6      /* of a hierarchy */
#define GROUPS_FIRST 24   /* that are above the noise, more or less */
#define KEYS_IN_GROUP 16  /* in the finest one */
#define KEYS_TOGETHER 1.5 /* less in a group, and it groups nothing */

/* ---- groups of rows ---- */

/* Rows in groups, which are numbered. */
typedef struct Groups
{
	uint32 n;
	uint32 *of; /* [rows] */
} Groups;

static uint32 *
numbers(uint32 n)
{
	return palloc_extended(sizeof(uint32) * Max(n, 1), MCXT_ALLOC_HUGE);
}

/* Rows in the order of what each has, which is below n, and of those that have the same in the order
 * of `rows`. */
static uint32 *
sort_by(const uint32 *of, uint32 n, const uint32 *rows, uint32 rows_n)
{
	uint32 *first =
		palloc_extended(sizeof(uint32) * ((Size) n + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	uint32 *sorted = numbers(rows_n);

	for (uint32 i = 0; i < rows_n; i++)
		first[of[rows[i]] + 1]++;
	for (uint32 k = 1; k < n; k++)
		first[k] += first[k - 1];
	for (uint32 i = 0; i < rows_n; i++)
		sorted[first[of[rows[i]]]++] = rows[i];
	pfree(first);
	return sorted;
}

static uint32 *
rows_in_order(uint32 n)
{
	uint32 *rows = numbers(n);

	for (uint32 i = 0; i < n; i++)
		rows[i] = i;
	return rows;
}

/* Each group divided by the values of a column; NULL is a value of its own, the last. Groups follow
 * the order of those that they are in, and then that of the values. */
static Groups
divide(const DpPublicTable *table, Groups groups, const DpPublicColumn *column)
{
	Groups finer = {0, numbers(table->rows)};
	uint32 *code = numbers(table->rows);
	uint32 *rows = rows_in_order(table->rows);
	uint32 *by_code, *sorted;

	for (uint32 i = 0; i < table->rows; i++)
		code[i] = Min(column->code[i], column->values);
	by_code = sort_by(code, column->values + 1, rows, table->rows);
	sorted = sort_by(groups.of, groups.n, by_code, table->rows);
	for (uint32 i = 0; i < table->rows; i++)
	{
		uint32 row = sorted[i], before = i == 0 ? row : sorted[i - 1];

		finer.n += i == 0 || groups.of[row] != groups.of[before] || code[row] != code[before];
		finer.of[row] = finer.n - 1;
	}
	pfree(sorted);
	pfree(by_code);
	pfree(rows);
	pfree(code);
	return finer;
}

static Groups
all_in_one(const DpPublicTable *table)
{
	return (Groups){
		1, palloc_extended(sizeof(uint32) * table->rows, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO)};
}

/* ---- what groups the keys ---- */

/* The levels that are chosen so far, the coarsest first, and the groups of the finest one. */
typedef struct Choice
{
	const DpPublicTable *table;
	List *levels; /* of DpPublicColumn */
	Groups groups;
} Choice;

static bool
is_useful(const Choice *choice, uint32 groups)
{
	return groups > choice->groups.n && groups * KEYS_TOGETHER <= choice->table->rows;
}

static void
choose(Choice *choice, const DpPublicColumn *column, Groups groups)
{
	choice->levels = lappend(choice->levels, unconstify(DpPublicColumn *, column));
	pfree(choice->groups.of);
	choice->groups = groups;
}

/*
 * The chain of references from the table upwards. At each table the reference with the most values
 * is chosen (a copy of a film refers to the film rather than to the store); the chain goes on from
 * there.
 */
static List *
way_up(const DpPublicTable *table)
{
	List *way = NIL; /* the farthest first */

	for (int depth = 0;; depth++)
	{
		const DpPublicColumn *best = NULL;
		ListCell *cell;

		foreach (cell, table->columns)
		{
			const DpPublicColumn *column = lfirst(cell);

			if (column->refers && column->depth == depth && column->values > 1 &&
				(best == NULL || column->values > best->values))
				best = column;
		}
		if (best == NULL)
			return way;
		way = lcons(unconstify(DpPublicColumn *, best), way);
	}
}

/* The column that divides the groups into a number nearest to what is wanted: of two alike the one
 * that belongs to a table higher up, and then the first. false: none does. */
static bool
choose_nearest(Choice *choice, double wanted)
{
	const DpPublicColumn *best = NULL;
	Groups best_groups = {0};
	ListCell *cell;

	foreach (cell, choice->table->columns)
	{
		const DpPublicColumn *column = lfirst(cell);
		Groups groups;
		double off, best_off;

		if (list_member_ptr(choice->levels, column) || column->values < 2)
			continue;
		groups = divide(choice->table, choice->groups, column);
		off = fabs(log(groups.n / wanted));
		best_off = best == NULL ? INFINITY : fabs(log(best_groups.n / wanted));
		if (is_useful(choice, groups.n) &&
			(off < best_off || (off == best_off && column->depth > best->depth)))
		{
			if (best != NULL)
				pfree(best_groups.of);
			best = column;
			best_groups = groups;
		}
		else
			pfree(groups.of);
	}
	if (best != NULL)
		choose(choice, best, best_groups);
	return best != NULL;
}

/*
 * First along the way up. Where that leaves one coarse level unsaid, or there is none, columns of
 * few values say it; then groups of some keys, as far as columns give them.
 */
static Choice
choose_levels(const DpPublicTable *table)
{
	Choice choice = {table, NIL, all_in_one(table)};
	double few = table->rows / (double) KEYS_IN_GROUP;
	List *way = way_up(table);
	ListCell *cell;

	if (way == NIL || ((DpPublicColumn *) linitial(way))->values > 2 * GROUPS_FIRST)
		(void) choose_nearest(&choice, Min((double) GROUPS_FIRST, sqrt(table->rows)));
	foreach (cell, way)
	{
		Groups groups = divide(table, choice.groups, lfirst(cell));

		if (list_length(choice.levels) < LEVELS_MAX - 1 && is_useful(&choice, groups.n))
			choose(&choice, lfirst(cell), groups);
		else
			pfree(groups.of);
	}
	while (list_length(choice.levels) < LEVELS_MAX && choice.groups.n * 2 < few &&
		   choose_nearest(&choice, few))
		;
	return choice;
}

/* ---- the keys in their order ---- */

/* On how many levels two keys are in different groups. */
static uint8
boundary_between(const List *levels, uint32 one, uint32 other)
{
	ListCell *cell;

	foreach (cell, levels)
	{
		const uint32 *code = ((const DpPublicColumn *) lfirst(cell))->code;

		if (code[one] != code[other])
			return (uint8) (list_length(levels) - foreach_current_index(cell));
	}
	return 0;
}

/* ---- which keys a column can hold ---- */

static bool
is_text(Oid type)
{
	return type == TEXTOID || type == VARCHAROID || type == BPCHAROID;
}

/* Whether texts of keys of one type mean the same in a column of the other. */
static bool
types_serve(Oid key, Oid column)
{
	return key == column || (is_text(key) && is_text(column)) ||
		   (dp_is_integer(key) && dp_is_integer(column));
}

/* Whether a column of its type and modifier can hold a key. */
static bool
can_hold(Form_pg_attribute form, Oid base, const char *key)
{
	int64 number;

	if (is_text(base) && form->atttypmod >= (int32) VARHDRSZ)
		return pg_mbstrlen(key) <= form->atttypmod - (int) VARHDRSZ;
	if (base != INT2OID && base != INT4OID)
		return true;
	number = strtoll(key, NULL, 10);
	return base == INT2OID ? number >= PG_INT16_MIN && number <= PG_INT16_MAX
						   : number >= PG_INT32_MIN && number <= PG_INT32_MAX;
}

static DpPublicKeys *
keys_of_table(Form_pg_attribute form, const DpPublicTable *table, AttrNumber key)
{
	DpPublicKeys *keys = palloc0(sizeof(DpPublicKeys));
	Choice choice = choose_levels(table);
	uint32 *rows = rows_in_order(table->rows);
	Oid base = getBaseType(form->atttypid);
	uint32 held = 0;

	keys->table = table;
	keys->key = key;
	keys->type = form->atttypid;
	keys->typmod = form->atttypmod;
	keys->levels = choice.levels;
	for (uint32 i = 0; i < table->rows; i++)
		if (can_hold(form, base, table->key[i]))
			rows[held++] = i;
	keys->n = held;
	keys->row = sort_by(choice.groups.of, choice.groups.n, rows, held);
	keys->label = palloc_extended(sizeof(char *) * Max(keys->n, 1), MCXT_ALLOC_HUGE);
	if (keys->levels != NIL)
		keys->boundary = palloc_extended(Max(keys->n, 1), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < keys->n; i++)
	{
		keys->label[i] = table->key[keys->row[i]];
		if (keys->boundary != NULL)
			keys->boundary[i] =
				i == 0 ? 0 : boundary_between(keys->levels, keys->row[i - 1], keys->row[i]);
	}
	pfree(rows);
	return keys;
}

static DpPublicKeys *
keys_known(const List *known, Form_pg_attribute form, Oid above, AttrNumber key)
{
	const ListCell *cell;

	foreach (cell, known)
	{
		DpPublicKeys *keys = lfirst(cell);

		if (keys->table->relation == above && keys->key == key && keys->type == form->atttypid &&
			keys->typmod == form->atttypmod)
			return keys;
	}
	return NULL;
}

/* Of several keys of one column the first that leads to a public table. */
static DpPublicKeys *
keys_read(Relation relation, AttrNumber number, bool strict, bool first, List **known)
{
	Form_pg_attribute form = TupleDescAttr(RelationGetDescr(relation), number - 1);
	ListCell *cell;

	foreach (cell, dp_references(relation))
	{
		const DpReference *reference = lfirst(cell);
		Oid above = reference->parent;
		const DpPublicTable *table;
		DpPublicKeys *keys;

		if (reference->columns != 1 || reference->column[0] != number || !reference->is_enforced ||
			!dp_relation_is_declared_public(above) ||
			!types_serve(getBaseType(get_atttype(above, reference->key[0])),
						 getBaseType(form->atttypid)))
			continue;
		if (strict)
			dp_check_public(above);
		else if (!dp_relation_is_public(above))
			continue;
		keys = keys_known(*known, form, above, reference->key[0]);
		if (keys != NULL)
			return keys;
		table = first ? dp_public_table_read_first(above, reference->key[0])
					  : dp_public_table_read(above, reference->key[0], strict);
		if (table == NULL)
			continue;
		keys = keys_of_table(form, table, reference->key[0]);
		*known = lappend(*known, keys);
		return keys;
	}
	return NULL;
}

DpPublicKeys *
dp_public_keys_read(Relation relation, AttrNumber number, bool strict, List **known)
{
	return keys_read(relation, number, strict, false, known);
}

DpPublicKeys *
dp_public_keys_read_first(Relation relation, AttrNumber number, List **known)
{
	return keys_read(relation, number, false, true, known);
}

/* ---- names ---- */

char *
dp_public_levels(const DpPublicKeys *keys)
{
	StringInfoData names;
	ListCell *cell;

	initStringInfo(&names);
	foreach (cell, keys->levels)
	{
		const DpPublicColumn *level = lfirst(cell);

		appendStringInfo(&names, "%s%s", names.len ? ", " : "",
						 quote_qualified_identifier(level->table, level->name));
	}
	return names.data;
}

/* What follows "part." in a name; NULL: it does not begin so. */
static const char *
name_within(const char *name, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(name, prefix, length) == 0 && name[length] == '.' ? name + length + 1 : NULL;
}

const DpPublicColumn *
dp_public_column_find(const DpPublicKeys *keys, const char *column, const char *name)
{
	const char *own = name_within(name, column);
	ListCell *cell;

	foreach (cell, keys->table->columns)
	{
		const DpPublicColumn *of = lfirst(cell);
		const char *within = name_within(name, of->table);

		if ((within != NULL && strcmp(within, of->name) == 0) ||
			(own != NULL && of->depth == 0 && strcmp(own, of->name) == 0))
			return of;
		/* "dest.country.name", where several columns lead to one table */
		within = own != NULL ? name_within(own, of->table) : NULL;
		if (within != NULL && strcmp(within, of->name) == 0)
			return of;
	}
	return NULL;
}

uint64
dp_public_keys_digest(const DpPublicKeys *keys)
{
	uint64 digest = keys->n;

	for (uint32 i = 0; i < keys->n; i++)
	{
		const char *label = keys->label[i];

		digest = hash_combine64(digest, hash_bytes_extended((const unsigned char *) label,
															(int) strlen(label), digest));
		digest = hash_combine64(digest, keys->boundary == NULL ? 0 : keys->boundary[i] + 1);
	}
	return digest;
}
