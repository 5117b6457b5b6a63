/*
 * rules.h -- the CHECKs of a relation as rules over the attributes of a domain.
 *
 * Runs in any process; it sees the schema and public domains, and no data.
 */
#ifndef DPSYN_RULES_H
#define DPSYN_RULES_H

#include "pg/server/compat.h"

#include "core/domain/rule.h"
#include "pg/domain/bins.h"
#include "pg/domain/checks.h"
#include "pg/domain/column_field.h"
#include "pg/domain/rule_place.h"

/* A value in millionths, as rules count. false: it is no number, infinite, or not a whole number of
 * them. */
extern bool dp_rule_number(Datum value, Oid type, double *number);
/* The numbers that the levels of each attribute hold, in millionths of 1, or microseconds. */
extern DpRuleAxis *dp_rule_axes(const DpRulePlace *place);
/*
 * A check as a rule. Where the language of rules does not reach, it says that anything is possible.
 * n is 0 where no attribute is in it; n is over DP_ZEROS_WIDTH_MAX where too many are, and then
 * there is no root.
 */
extern void dp_rule_compile(const DpCheck *check, const DpRulePlace *place, DpRule *rule);
/* That the one attribute, a distance from the other, is NULL where that is; both can be. */
extern void dp_rule_of_distance(const DpRulePlace *place, uint32 attribute, uint32 base,
								DpRule *rule);
/* The same of a distance from an end of a range, which has it by its bounds. */
extern void dp_rule_of_distance_from_end(const DpRulePlace *place, uint32 attribute, uint32 bounds,
										 DpRangePart end, DpRule *rule);
/* The rule that a range has an end (the first attribute) exactly if its bounds (the other one) say
 * so. */
extern void dp_rule_of_range_part(const DpRulePlace *place, uint32 attribute, uint32 bounds,
								  DpRangePart part, DpRule *rule);

#endif
