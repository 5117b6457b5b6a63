/*
 * suggest.c -- what a custodian may want to declare of a column, from the schema alone.
 */
#include "pg/domain/suggest.h"

#include "utils/builtins.h"

#include "pg/domain/grid.h"
#include "pg/server/catalog.h"
#include "pg/server/literals.h"

/* Whether the table gives the column its values, or it tells units apart: there is nothing to
 * declare. */
static bool
carries_nothing(const DpUnmodelled *column)
{
	static const char *const sources[] = {"primary key", "unique", "sequence", "generated", "unit"};

	for (size_t i = 0; i < lengthof(sources); i++)
		if (strcmp(column->source, sources[i]) == 0)
			return true;
	return false;
}

char *
dp_suggest_call(Oid relation, const DpUnmodelled *column)
{
	if (carries_nothing(column))
		return NULL;
	return psprintf("SELECT dp_define_column(%s, %s, %s);", dp_literal(dp_relation_label(relation)),
					dp_literal(column->name),
					dp_type_has_range(column->type, column->typmod) ? "range => '{low,high}'"
																	: "open => true");
}
