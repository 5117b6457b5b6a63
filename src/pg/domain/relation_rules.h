/*
 * relation_rules.h -- the rules of a relation, as a release has them: zeros of the domain, and
 * those that its rows may break.
 *
 * Runs in any process; it sees the schema and public domains, and no data.
 */
#ifndef DPSYN_RELATION_RULES_H
#define DPSYN_RELATION_RULES_H

#include "pg/server/compat.h"

#include "pg/domain/relation.h"

/*
 * Adds to the zeros of domain what the relation's rules forbid. domain has the attributes of
 * relation->domain, perhaps with levels that were discovered meanwhile. strict: a rule that no row
 * can keep is an ERROR, and rules that rows may break are listed in relation->unkept.
 */
extern void dp_relation_add_rules(DpRelation *relation, DpDomain *domain, bool strict,
								  DpArena *arena);
/* Adds the rules that need the columns of ancestors, once the domain has these. */
extern void dp_relation_add_rules_above(DpRelation *relation, DpArena *arena);
/* Says in NOTICEs which rules rows may break, and why. */
extern void dp_notice_unkept(const DpRelation *relation);

#endif
