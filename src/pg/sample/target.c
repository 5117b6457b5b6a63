/*
 * target.c -- messages about a row type that does not fit a release, and of rows without a seed.
 */
#include "pg/sample/target.h"

#include "catalog/namespace.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/varlena.h"

#include "pg/server/catalog.h"

TupleDesc
dp_listed_row(FunctionCallInfo fcinfo)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	if (result->expectedDesc == NULL)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("rows of a relation's name need a list of columns"),
						errhint("Write SELECT * FROM dp_sample('visits', 11) AS v(ward text, n "
								"integer), or dp_sample(NULL::visits, 11).")));
	return result->expectedDesc;
}

Oid
dp_relation_named(const char *name)
{
	return RangeVarGetRelid(
		makeRangeVarFromNameList(textToQualifiedNameList(cstring_to_text(name))), NoLock, false);
}

void
dp_check_listed(TupleDesc row, Oid relation)
{
	for (int i = 0; i < row->natts; i++)
	{
		Form_pg_attribute listed = TupleDescAttr(row, i);
		AttrNumber number = get_attnum(relation, NameStr(listed->attname));
		Oid type;

		if (number <= 0)
			dp_no_such_column(NameStr(listed->attname), relation, NULL);
		type = get_atttype(relation, number);
		if (getBaseType(type) != getBaseType(listed->atttypid))
			ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
							errmsg("column \"%s\" of relation \"%s\" has type %s, not %s",
								   NameStr(listed->attname), dp_relation_words(relation),
								   format_type_be(type), format_type_be(listed->atttypid)),
							errhint("List the columns with the types that they have there.")));
	}
}

void
dp_check_release_of(const DpStored *stored, const char *relation)
{
	Oid named = dp_relation_named(relation);

	if (named == stored->relation)
		return;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("the release is not of relation \"%s\"", dp_relation_words(named)),
					OidIsValid(stored->relation) ? errdetail("It is of relation \"%s\".",
															 dp_relation_words(stored->relation))
												 : errdetail("Its relation was dropped."),
					errhint("The view dp_releases lists releases and their relations.")));
}

void
dp_note_absent(const DpStored *stored, const DpDecoder *decoder, const DpRowRules *rules,
			   TupleDesc row)
{
	StringInfoData names;

	if (get_typ_typrelid(row->tdtypeid) == stored->relation && OidIsValid(stored->relation))
		return; /* a notice before the debit named what is not modelled */
	initStringInfo(&names);
	for (int i = 0; i < row->natts; i++)
	{
		char *name = NameStr(TupleDescAttr(row, i)->attname);

		if (TupleDescAttr(row, i)->attisdropped || dp_decoded(decoder, i).attribute >= 0 ||
			dp_decoded(decoder, i).has_fields || dp_decoded(decoder, i).base_above >= 0 ||
			dp_row_rules_compute(rules, i + 1) ||
			(stored->fill != NULL &&
			 getKeyJsonValueFromContainer(&stored->fill->root, name, (int) strlen(name), NULL)))
			continue;
		appendStringInfo(&names, "%s%s", names.len ? ", " : "", quote_identifier(name));
	}
	if (names.len > 0)
		ereport(NOTICE,
				(errmsg("the release says nothing of columns that are NULL now: %s", names.data),
				 OidIsValid(stored->relation)
					 ? errdetail("It is of relation \"%s\", and columns are matched by name.",
								 dp_relation_words(stored->relation))
					 : errdetail("Columns are matched by name.")));
}

void
dp_note_other_rows(int64 release)
{
	static int64 last = 0; /* release that was drawn from without a seed; -1: a notice was given */

	if (last == release)
		ereport(NOTICE, (errmsg("the rows of a release are drawn anew at each read"),
						 errdetail("So counts and sums of them differ from read to read."),
						 errhint("A seed gives the same rows each time, as seed => 1 does. This "
								 "is said once a session.")));
	if (last >= 0)
		last = last == release ? -1 : release;
}
