/*
 * monotonicity.c -- zeros of rows that follow each other in order of an attribute: the rule
 * own - previous >= 0, over the numbers of the levels.
 */
#include "core/domain/monotonicity.h"

#include "core/domain/rule.h"

/* The numbers of the levels as what they hold. */
static DpStatus
axis_of(const DpAttribute *attribute, DpRuleAxis *axis, DpArena *arena)
{
	DpInterval *level = dp_alloc(arena, attribute->levels, sizeof(*level));

	DP_TRY_ALLOC(level);
	for (uint32_t i = 0; i < attribute->levels; i++)
		level[i] = (DpInterval){i, i};
	axis->level = level;
	axis->missing = attribute->has_other ? attribute->levels - 1 : UINT32_MAX;
	return DP_OK;
}

DpStatus
dp_monotonicity(DpDomain *domain, uint32_t previous, uint32_t own, DpArena *arena, DpError *error)
{
	uint32_t position[] = {0, 1};
	double coefficient[] = {1, -1};
	DpRuleNode ascends = {.kind = DP_RULE_LINEAR,
						  .n = 2,
						  .position = position,
						  .coefficient = coefficient,
						  .comparison = DP_AT_LEAST};
	const DpRule rule = {"order", 2, {own, previous}, &ascends};
	DpRuleAxis *axis = dp_alloc(arena, domain->attributes, sizeof(*axis));

	DP_TRY_ALLOC(axis);
	DP_TRY(axis_of(&domain->attribute[own], &axis[own], arena));
	DP_TRY(axis_of(&domain->attribute[previous], &axis[previous], arena));
	return dp_rules_add_zeros(&(DpRules){1, &rule, axis}, domain, false, arena, error);
}
