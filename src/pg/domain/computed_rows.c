/*
 * computed_rows.c -- columns that a release computes from others, in a row type: see computed.h.
 */
#include "pg/domain/computed.h"

#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "pg/domain/derived.h"
#include "pg/server/expression_words.h"

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
