/*
 * computed.c -- which columns are computed from others; see computed.h.
 *
 * Equations are solved one after the other, as in Gauss's elimination: a column that is computed in
 * every row is replaced by its expression in the equations that are still to be solved, and a column
 * that is found later is replaced in the expressions before it. So those expressions are over
 * columns that are drawn.
 */
#include "pg/domain/computed.h"

#include <math.h>

#include "access/htup_details.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "pg/domain/checks.h"
#include "pg/domain/derived.h"
#include "pg/domain/equation.h"
#include "pg/domain/schema_keys.h"
#include "pg/server/expression_words.h"
#include "pg/server/untrusted_code.h"

/* ---- replacing ---- */

Bitmapset *
dp_columns_of(Node *expression)
{
	Bitmapset *found = NULL, *columns = NULL;
	int number = -1;

	pull_varattnos(expression, 1, &found);
	while ((number = bms_next_member(found, number)) >= 0)
		columns = bms_add_member(columns, Max(number + FirstLowInvalidHeapAttributeNumber, 0));
	return columns;
}

static Node *
put_computed(Node *node, void *context)
{
	const List *computed = context;
	const ListCell *cell;

	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
		foreach (cell, computed)
		{
			const DpComputed *column = lfirst(cell);

			if (column->always && ((Var *) node)->varattno == column->number)
				return copyObject(column->value);
		}
	return expression_tree_mutator(node, put_computed, context);
}

static Node *
replaced(Node *node, const List *computed)
{
	return put_computed(node, unconstify(List *, computed));
}

const DpCheck *
dp_computed_rule(const DpCheck *check, const List *computed)
{
	const ListCell *cell;
	bool any = false;
	DpCheck *rule;

	foreach (cell, computed)
		any |= ((DpComputed *) lfirst(cell))->always &&
			   bms_is_member(((DpComputed *) lfirst(cell))->number, check->columns);
	if (!any || check->expression == NULL)
		return check;
	rule = palloc(sizeof(DpCheck));
	*rule = *check;
	rule->expression = replaced(check->expression, computed);
	rule->columns = dp_columns_of(rule->expression);
	return rule;
}

/* ---- columns of an equation ---- */

/* The properties of a column of an equation. */
typedef struct Part
{
	AttrNumber number;
	int attribute;            /* -1: it is not modelled */
	DpUnmodelled *unmodelled; /* NULL: it is modelled */
	bool nullable;
	bool has_values;  /* each row has one, or NULL where that is drawn */
	bool may_compute; /* nothing else gives its value */
	double cells;     /* different values that it can have */
} Part;

static bool
is_named(const DpOptions *options, const char *name)
{
	for (uint32 i = 0; options != NULL && i < options->n; i++)
	{
		const DpOption *option = &options->option[i];

		if (strcmp(option->name, "columns") == 0)
			continue;
		if (option->kind == DP_VALUE_STRING && strcmp(option->text, name) == 0)
			return true;
		for (uint32 k = 0; k < option->lists; k++)
		{
			if (option->list[k].key != NULL && strcmp(option->list[k].key, name) == 0)
				return true;
			for (uint32 j = 0; j < option->list[k].n; j++)
				if (strcmp(option->list[k].name[j], name) == 0)
					return true;
		}
	}
	return false;
}

static double
cells_of(const DpAttribute *attribute)
{
	if (attribute->range != NULL && attribute->range->listed == NULL)
		return (double) attribute->range->grid.last - (double) attribute->range->grid.first + 1;
	if (attribute->open || attribute->kind == DP_BINS)
		return 1e18;
	return attribute->labels_n;
}

/* Whether other columns, or a public table, say what the column holds, or it says what they hold. */
static bool
means_more(const DpRelation *relation, AttrNumber number, const char *name)
{
	ListCell *cell;

	for (uint32 a = 0; a < relation->domain.attributes; a++)
		if (relation->column[a].base == number ||
			(relation->column[a].number == number &&
			 (relation->column[a].keys != NULL || relation->column[a].inherited)))
			return true;
	foreach (cell, relation->derived)
		if (strcmp(((DpDerived *) lfirst(cell))->base, name) == 0 ||
			strcmp(((DpDerived *) lfirst(cell))->column, name) == 0)
			return true;
	foreach (cell, relation->distinct)
	{
		ListCell *of_set;

		foreach (of_set, ((DpDistinct *) lfirst(cell))->columns)
			if (strcmp(lfirst(of_set), name) == 0)
				return true;
	}
	return false;
}

static bool
is_generated(const DpRelation *relation, AttrNumber number)
{
	ListCell *cell;

	foreach (cell, relation->generated)
		if (((DpCheck *) lfirst(cell))->column == number)
			return true;
	return false;
}

static Part
part_unmodelled(const DpRelation *relation, DpUnmodelled *column)
{
	bool unknown = strcmp(column->source, "no domain") == 0 ||
				   strcmp(column->source, "no range") == 0 ||
				   strcmp(column->source, "outdated") == 0;

	return (Part){.number = column->number,
				  .attribute = -1,
				  .unmodelled = column,
				  .nullable = !dp_column_not_null(relation->oid, column->number),
				  .has_values = column->fill != NULL || column->computed,
				  .may_compute = unknown && !column->key && !column->computed,
				  .cells = INFINITY};
}

/* false: the column has no place in the rows of the release. */
static bool
part_find(const DpRelation *relation, AttrNumber number, Part *part)
{
	ListCell *cell;

	if (is_generated(relation, number))
		return false;
	for (uint32 a = 0; a < relation->domain.attributes; a++)
		if (relation->column[a].number == number && relation->column[a].field == NULL)
		{
			*part = (Part){.number = number,
						   .attribute = (int) a,
						   .nullable = relation->column[a].nullable,
						   .has_values = true,
						   .may_compute =
							   !means_more(relation, number, relation->domain.attribute[a].name),
						   .cells = cells_of(&relation->domain.attribute[a])};
			return true;
		}
	foreach (cell, relation->unmodelled)
		if (((DpUnmodelled *) lfirst(cell))->number == number)
		{
			*part = part_unmodelled(relation, lfirst(cell));
			return true;
		}
	return false;
}

/* ---- choosing ---- */

/* An equation's column, solved for. */
typedef struct Candidate
{
	Part part;
	DpSolution how;
	Node *value;
	bool always;
} Candidate;

/* Whether column a is the better one to compute: one that stands alone in its equation, else the
 * last one. */
static bool
is_better(const Candidate *a, const Candidate *b)
{
	bool a_rough = a->how == DP_SOLVED_ROUGHLY, b_rough = b->how == DP_SOLVED_ROUGHLY;

	if (b->how == DP_NOT_SOLVED)
		return true;
	if (a_rough != b_rough)
		return !a_rough;
	if (a->part.cells != b->part.cells)
		return a->part.cells > b->part.cells;
	return a->how != b->how ? a->how < b->how : a->part.number > b->part.number;
}

/* Whether one that is computed in some rows alone needs the column as it is drawn. */
static bool
is_needed(const DpRelation *relation, AttrNumber number)
{
	ListCell *cell;

	foreach (cell, relation->computed)
	{
		const DpComputed *other = lfirst(cell);

		if (other->number == number || (!other->always && bms_is_member(number, other->columns)))
			return true;
	}
	return false;
}

/* Solves an equation for one of its columns, if that one can be computed; false: it cannot. */
static bool
candidate_try(const DpRelation *relation, const DpEquation *equation, const Part *part, int parts,
			  int chosen, Candidate *candidate)
{
	Bitmapset *columns;

	*candidate = (Candidate){.part = part[chosen], .always = !part[chosen].nullable};
	if (!part[chosen].may_compute || is_needed(relation, part[chosen].number))
		return false;
	for (int i = 0; i < parts; i++)
	{
		if (i != chosen && !part[i].has_values)
			return false;
		candidate->always &= i == chosen || !part[i].nullable;
	}
	candidate->how = dp_equation_solve(equation, part[chosen].number, &candidate->value);
	if (candidate->how == DP_NOT_SOLVED || dp_expression_obstacle(candidate->value) != NULL)
		return false;
	/* not from what is itself computed from it */
	columns = dp_columns_of(candidate->value);
	return !bms_is_empty(columns);
}

/* The parts of an equation; 0: it is not one of columns that rows have. */
static int
parts_find(const DpRelation *relation, const DpEquation *equation, Part **part)
{
	Bitmapset *columns = bms_union(dp_columns_of(equation->left), dp_columns_of(equation->right));
	int n = 0, number = -1;

	*part = palloc(sizeof(Part) * Max(bms_num_members(columns), 1));
	while ((number = bms_next_member(columns, number)) >= 0)
		if (number == 0 || !part_find(relation, (AttrNumber) number, &(*part)[n++]))
			return 0;
	return n >= 2 ? n : 0;
}

static bool
candidate_find(const DpRelation *relation, const DpEquation *equation, Candidate *best)
{
	Part *part;
	int parts = parts_find(relation, equation, &part);

	*best = (Candidate){.how = DP_NOT_SOLVED};
	for (int i = 0; i < parts; i++)
	{
		Candidate candidate;

		if (candidate_try(relation, equation, part, parts, i, &candidate) &&
			is_better(&candidate, best))
			*best = candidate;
	}
	return best->how != DP_NOT_SOLVED;
}

/* ---- taking over ---- */

/* Puts a new column into the expressions that were found before. */
static void
replace_in_others(DpRelation *relation, DpComputed *column)
{
	ListCell *cell;

	foreach (cell, relation->computed)
	{
		DpComputed *other = lfirst(cell);

		if (!column->always || !bms_is_member(column->number, other->columns))
			continue;
		other->value = replaced(other->value, list_make1(column));
		other->columns = dp_columns_of(other->value);
		other->words = dp_expression_words(other->value, relation->oid);
	}
}

static void
unmodel(DpRelation *relation, const Part *part, const char *name)
{
	DpUnmodelled *unmodelled = part->unmodelled;

	if (unmodelled == NULL)
		unmodelled = dp_relation_unmodel(relation, (uint32) part->attribute);
	unmodelled->source = "computed";
	unmodelled->fill = unmodelled->problem = unmodelled->refers_fill = NULL;
	unmodelled->computed = true;
}

static void
candidate_take(DpRelation *relation, const Candidate *candidate, const DpOptions *options)
{
	const Part *part = &candidate->part;
	DpComputed *column = palloc(sizeof(DpComputed));
	char *words = dp_expression_words(candidate->value, relation->oid);
	const char *name = get_attname(relation->oid, part->number, false);

	if (words == NULL)
		return;
	*column = (DpComputed){.number = part->number,
						   .column = name,
						   .words = words,
						   .value = candidate->value,
						   .columns = dp_columns_of(candidate->value),
						   .always = candidate->always};
	if (part->unmodelled == NULL && is_named(options, name))
		column->always = false;
	if (part->unmodelled != NULL || column->always)
		unmodel(relation, part, name);
	replace_in_others(relation, column);
	relation->computed = lappend(relation->computed, column);
}

/* ---- what is declared ---- */

static TupleDesc
row_of(Oid relation)
{
	return lookup_rowtype_tupdesc_copy(get_rel_type_id(relation), -1);
}

static Node *
expression_of(const char *words, TupleDesc row, AttrNumber number)
{
	return dp_expression_convert(dp_expression_of_words(words, row),
								 getBaseType(TupleDescAttr(row, number - 1)->atttypid), -1);
}

char *
dp_computed_declared(Oid relation, const char *column, const char *words)
{
	TupleDesc row = row_of(relation);
	AttrNumber number = get_attnum(relation, column);
	Node *value = expression_of(words, row, number);
	Bitmapset *columns = value == NULL ? NULL : dp_columns_of(value);
	char *kept;

	if (value == NULL)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("column \"%s\" cannot hold %s", column, words),
						errdetail("The column is of type %s.",
								  format_type_be(TupleDescAttr(row, number - 1)->atttypid))));
	if (bms_is_empty(columns) || bms_is_member(number, columns))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("column \"%s\" must be computed from other columns", column),
						errhint("A constant is what fill says.")));
	kept = dp_expression_words(value, relation);
	if (kept == NULL)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the expression of column \"%s\" is too long", column)));
	/* reading it again is what every release does */
	(void) dp_expression_of_words(kept, row);
	return kept;
}

/* Whether every column of an expression has values by now; *nullable: whether one can be NULL. */
static bool
parts_have_values(const DpRelation *relation, const Bitmapset *columns, bool *nullable)
{
	int number = -1;

	*nullable = false;
	while ((number = bms_next_member(columns, number)) >= 0)
	{
		Part part;

		if (!part_find(relation, (AttrNumber) number, &part) || !part.has_values)
			return false;
		*nullable |= part.nullable;
	}
	return true;
}

/* Takes a declared column, if those that it is computed from have values. */
static bool
declared_take(DpRelation *relation, DpUnmodelled *unmodelled, TupleDesc row)
{
	DpComputed *column = palloc(sizeof(DpComputed));
	Node *value = expression_of(unmodelled->expression, row, unmodelled->number);
	bool nullable;

	if (value == NULL || !parts_have_values(relation, dp_columns_of(value), &nullable))
		return false;
	value = replaced(value, relation->computed);
	*column =
		(DpComputed){.number = unmodelled->number,
					 .column = unmodelled->name,
					 .words = unmodelled->expression,
					 .value = value,
					 .columns = dp_columns_of(value),
					 .always = !nullable && dp_column_not_null(relation->oid, unmodelled->number)};
	column->words = dp_expression_words(value, relation->oid);
	unmodelled->computed = column->words != NULL;
	if (unmodelled->computed)
		relation->computed = lappend(relation->computed, column);
	return unmodelled->computed;
}

/* Columns may be computed from others that are. Those whose parts have no values come back NULL. */
static void
declared_compute(DpRelation *relation)
{
	TupleDesc row = NULL;
	bool grown = true;
	ListCell *cell;

	while (grown)
	{
		grown = false;
		foreach (cell, relation->unmodelled)
		{
			DpUnmodelled *column = lfirst(cell);

			if (column->expression == NULL || column->computed)
				continue;
			row = row == NULL ? row_of(relation->oid) : row;
			grown |= declared_take(relation, column, row);
		}
	}
	foreach (cell, relation->unmodelled)
	{
		DpUnmodelled *column = lfirst(cell);

		if (column->expression != NULL && !column->computed &&
			dp_column_not_null(relation->oid, column->number))
			column->problem = "It is computed from columns that have no values, or from itself.";
	}
}

/* ---- all of a relation ---- */

/* Generated columns as the expressions that they are, and then those that are computed. */
static Node *
all_replaced(Node *node, const DpRelation *relation)
{
	ListCell *cell;

	foreach (cell, relation->generated)
	{
		const DpCheck *column = lfirst(cell);
		DpComputed computed = {.number = column->column, .value = column->written, .always = true};

		if (column->expression != NULL)
			node = replaced(node, list_make1(&computed));
	}
	return replaced(node, relation->computed);
}

static void
equations_solve(DpRelation *relation, const DpCheck *check, const DpOptions *options)
{
	List *equations = dp_equations_of(all_replaced(check->written, relation));
	ListCell *cell;

	foreach (cell, equations)
	{
		DpEquation *equation = lfirst(cell);
		Candidate candidate;

		equation->left = all_replaced(equation->left, relation);
		equation->right = all_replaced(equation->right, relation);
		if (!candidate_find(relation, equation, &candidate))
			continue;
		candidate_take(relation, &candidate, options);
		/* what it would have been filled with broke the rule */
		if (relation->broken_check != NULL && strcmp(relation->broken_check, check->name) == 0)
			relation->broken_check = NULL;
	}
}

void
dp_relation_compute(DpRelation *relation, const DpOptions *options)
{
	ListCell *cell;

	declared_compute(relation);
	foreach (cell, relation->checks)
		if (((DpCheck *) lfirst(cell))->expression != NULL)
			equations_solve(relation, lfirst(cell), options);
	foreach (cell, relation->checks)
		lfirst(cell) = unconstify(DpCheck *, dp_computed_rule(lfirst(cell), relation->computed));
}

/* ---- in a row type ---- */

static DpComputed *
computed_read(const DpDerivation *derivation, TupleDesc row, int i)
{
	Form_pg_attribute form = TupleDescAttr(row, i);
	DpComputed *computed = palloc0(sizeof(DpComputed));
	Node *value = dp_expression_try_words(derivation->computed, row);

	if (value != NULL)
		value = dp_expression_convert(value, getBaseType(form->atttypid), -1);
	if (value == NULL)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("column \"%s\" cannot be computed in this row type",
							   NameStr(form->attname)),
						errdetail("It is %s.", derivation->computed),
						errhint("Draw into a row type that has these columns, with the types "
								"that the relation has.")));
	*computed = (DpComputed){.number = form->attnum,
							 .column = NameStr(form->attname),
							 .words = derivation->computed,
							 .value = value,
							 .columns = dp_columns_of(value),
							 .always = derivation->always};
	return computed;
}

static bool
needs(const DpComputed *computed, const List *others)
{
	const ListCell *cell;

	foreach (cell, others)
		if (bms_is_member(((DpComputed *) lfirst(cell))->number, computed->columns))
			return true;
	return false;
}

/* Those that need no others first. What goes round in a circle is left out. */
static List *
in_order(List *unordered)
{
	List *ordered = NIL;
	bool grown = true;
	ListCell *cell;

	while (grown)
	{
		grown = false;
		foreach (cell, unordered)
		{
			DpComputed *computed = lfirst(cell);

			if (needs(computed, unordered))
				continue;
			ordered = lappend(ordered, computed);
			unordered = foreach_delete_current(unordered, cell);
			grown = true;
		}
	}
	return ordered;
}

List *
dp_computed_of_row(Jsonb *derived, TupleDesc row)
{
	List *found = NIL;

	for (int i = 0; derived != NULL && i < row->natts; i++)
	{
		DpDerivation derivation;

		if (!TupleDescAttr(row, i)->attisdropped &&
			dp_derivation_find(derived, NameStr(TupleDescAttr(row, i)->attname), &derivation) &&
			derivation.computed != NULL)
			found = lappend(found, computed_read(&derivation, row, i));
	}
	return in_order(found);
}

DpCheck *
dp_computed_check(const DpComputed *computed, TupleDesc row)
{
	Form_pg_attribute form = TupleDescAttr(row, computed->number - 1);
	int32 typmod = form->atttypmod;
	Oid type = getBaseTypeAndTypmod(form->atttypid, &typmod);
	Node *value = dp_expression_convert(computed->value, type, typmod);
	DpCheck *check;

	if (value == NULL)
		return NULL;
	check = dp_check_of_value(NameStr(form->attname), computed->number, value);
	check->not_null = computed->always;
	return check;
}
