/*
 * equality.c -- whether two columns tell their values apart by one equality.
 */
#include "pg/server/equality.h"

#include "access/stratnum.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "pg/server/values.h"

DpComparable
dp_comparable_column(Oid relation, AttrNumber column)
{
	DpComparable values;
	int32 typmod;

	get_atttypetypmodcoll(relation, column, &values.type, &typmod, &values.collation);
	return values;
}

static bool
is_text(Oid type)
{
	return type == TEXTOID || type == VARCHAROID || type == BPCHAROID;
}

/*
 * The type whose equality it is. Integers of any width are equal if their numbers are, and so are
 * those of which one is cast. varchar has the operators of text, and no others. Nothing else is
 * taken for one: char(n) ignores blanks at the end, different integers are one double precision
 * number, and a timestamp equals a timestamptz or not as TimeZone says.
 */
static Oid
type_of_equality(Oid type)
{
	switch (type)
	{
		case INT2OID:
		case INT4OID:
			return INT8OID;
		case VARCHAROID:
			return TEXTOID;
		default:
			return type;
	}
}

static bool agrees_with_itself(Oid type, Oid collation);

/*
 * A range can be of an operator class of its own, which another equality of its bounds comes from
 * than the one that its hash is of.
 */
static bool
range_agrees(Oid type)
{
	Oid subtype = get_range_subtype(type);

	return lookup_type_cache(type, TYPECACHE_RANGE_INFO)->rng_cmp_proc_finfo.fn_oid ==
			   lookup_type_cache(subtype, TYPECACHE_CMP_PROC)->cmp_proc &&
		   agrees_with_itself(subtype, get_range_collation(type));
}

static bool
attributes_agree(Oid type)
{
	TupleDesc desc = lookup_rowtype_tupdesc(type, -1);
	bool agree = true;

	for (int i = 0; agree && i < desc->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, i);

		agree = column->attisdropped || agrees_with_itself(column->atttypid, column->attcollation);
	}
	ReleaseTupleDesc(desc);
	return agree;
}

/*
 * Whether sorting, hashing and comparing agree on what is equal, as the values of a unit are kept
 * together by any of them. Under a nondeterministic collation they do for texts. Values of type
 * name are hashed by their bytes, whatever the collation, and citext is sorted by the collation and
 * compared without it.
 */
static bool
agrees_with_itself(Oid type, Oid collation)
{
	check_stack_depth();
	type = getBaseType(type);
	if (is_text(type))
		return OidIsValid(collation);
	if (OidIsValid(get_element_type(type)))
		return agrees_with_itself(get_element_type(type), collation);
	if (OidIsValid(collation) && !get_collation_isdeterministic(collation))
		return false;
	switch (get_typtype(type))
	{
		case TYPTYPE_COMPOSITE:
			return attributes_agree(type);
		case TYPTYPE_RANGE:
			return range_agrees(type);
		case TYPTYPE_MULTIRANGE:
			return agrees_with_itself(get_multirange_range(type), collation);
		default:
			return true;
	}
}

/* The collation that decides. Texts are the same bytes under all that are deterministic. */
static Oid
collation_of_equality(Oid type, Oid collation)
{
	return is_text(type) && get_collation_isdeterministic(collation) ? C_COLLATION_OID : collation;
}

bool
dp_one_equality(DpComparable a, DpComparable b)
{
	Oid type = getBaseType(a.type), other = getBaseType(b.type);

	if (!OidIsValid(lookup_type_cache(type, TYPECACHE_LT_OPR)->lt_opr) ||
		!agrees_with_itself(type, a.collation) || !agrees_with_itself(other, b.collation))
		return false;
	return type_of_equality(type) == type_of_equality(other) &&
		   collation_of_equality(type, a.collation) == collation_of_equality(other, b.collation);
}

bool
dp_operator_is_equality_of(Oid number, Oid collation, DpComparable values)
{
	Oid family = lookup_type_cache(getBaseType(values.type), TYPECACHE_BTREE_OPFAMILY)->btree_opf;

	return OidIsValid(family) &&
		   get_op_opfamily_strategy(number, family) == BTEqualStrategyNumber &&
		   dp_one_equality((DpComparable){values.type, collation}, values);
}

char *
dp_comparable_words(DpComparable values)
{
	if (!OidIsValid(values.collation))
		return psprintf("type %s", format_type_be(values.type));
	return psprintf("type %s, collation %s", format_type_be(values.type),
					dp_collation_name(values.collation));
}
