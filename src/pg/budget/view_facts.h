/*
 * view_facts.h -- whether each row of a view depends on the rows of one privacy unit.
 *
 * Runs in any process. It reads the view's definition, and no data.
 */
#ifndef DPSYN_VIEW_FACTS_H
#define DPSYN_VIEW_FACTS_H

#include "pg/server/compat.h"

#include "nodes/pg_list.h"

/*
 * ERROR, which names the construct, unless each row of the view (or materialized view) depends on
 * the rows of one unit in the tables below it. unit_column: of the view; NULL: a row of the only
 * table that is not public. public_relations: list of OIDs of relations whose rows are nobody's.
 */
extern void dp_check_view(Oid view, const char *unit_column, List *public_relations);
/* The relations that the definition of a view names itself: OIDs, none of them locked. */
extern List *dp_view_reads(Oid view);

#endif
