/*
 * test_rule_zeros.c -- combinations of levels that break a rule become zeros.
 */
#include "core/domain/domain.h"
#include "core/domain/monotonicity.h"
#include "core/domain/rule.h"

#include "unit_data.h"
#include "unit_model.h"

/* discharged >= admitted over bins of three days */
static void
test_zeros(DpArena *arena)
{
	static const uint32_t levels[] = {4, 4, 2};
	DpDomain domain = unit_domain(arena, levels, 3);
	DpInterval days[4] = {{0, 2}, {3, 5}, {6, 8}};
	DpRuleAxis axis[3] = {{days, 3}, {days, 3}, {NULL, UINT32_MAX}};
	uint32_t position[2] = {0, 1};
	double coefficient[2] = {1, -1};
	DpRuleNode node = {.kind = DP_RULE_LINEAR,
					   .n = 2,
					   .position = position,
					   .coefficient = coefficient,
					   .comparison = DP_AT_LEAST};
	DpRule rule = {.name = "stay", .n = 2, .attribute = {0, 1}, .root = &node};
	DpRules rules = {1, &rule, axis};
	uint32_t own[] = {0, 3};
	uint32_t attributes[] = {0, 1};
	DpZeroSet declared = {2, attributes, 1, own};
	DpError error = {0};

	CHECK_OK(dp_rules_add_zeros(&rules, &domain, true, arena, NULL), "zeros of a rule");
	CHECK_OK(dp_domain_check(&domain, NULL), "are well-formed");
	CHECK_I64(domain.zeros.set[0].tuples, 3, "they are the three pairs that surely break it");
	CHECK_OK(dp_rules_add_zeros(&rules, &domain, true, arena, NULL), "adding them again");
	CHECK_I64(domain.zeros.set[0].tuples, 3, "changes nothing");

	domain.zeros = (DpZeros){1, dp_memdup(arena, &declared, sizeof(declared))};
	CHECK_OK(dp_rules_add_zeros(&rules, &domain, true, arena, NULL), "with zeros that are there");
	CHECK_I64(domain.zeros.sets, 1, "they become one set");
	CHECK_I64(domain.zeros.set[0].tuples, 4, "with all combinations of both");
	CHECK_OK(dp_domain_check(&domain, NULL), "which is well-formed");

	/* now a - b >= 9 is kept where one of them is missing, and nowhere else */
	node.constant = -9;
	domain.zeros = (DpZeros){0};
	CHECK_OK(dp_rules_add_zeros(&rules, &domain, true, arena, NULL), "a rule kept by NULL alone");
	CHECK_I64(domain.zeros.set[0].tuples, 9, "forbids every pair of values");
	axis[0].missing = axis[1].missing = UINT32_MAX;
	days[3] = (DpInterval){9, 10};
	node.constant = -20;
	domain.zeros = (DpZeros){0};
	CHECK_STATUS(dp_rules_add_zeros(&rules, &domain, true, arena, &error), DP_ERR_ARGUMENT,
				 "a rule that nothing keeps is refused");
	CHECK(strstr(error.message, "\"stay\"") != NULL, "by its name");
	CHECK_OK(dp_rules_add_zeros(&rules, &domain, false, arena, NULL), "or left out");
	CHECK_I64(domain.zeros.sets, 0, "and adds no zeros");
}

/* Makes the last level the one for the rest. */
static void
last_is_other(DpAttribute *attribute)
{
	attribute->has_other = true;
	attribute->labels_n--;
}

/* Of rows in order, what the row before had is no more than what a row has; either may be
 * missing. */
static void
test_order(DpArena *arena)
{
	static const uint32_t levels[] = {4, 2, 3};
	static const uint32_t nullable[] = {4, 2, 4};
	static const uint32_t expected[] = {1, 0, 2, 0, 2, 1}; /* previous, own */
	DpDomain domain = unit_domain(arena, levels, 3);

	last_is_other(&domain.attribute[0]);
	CHECK_OK(dp_monotonicity(&domain, 0, 2, arena, NULL), "zeros of an order");
	CHECK_OK(dp_domain_check(&domain, NULL), "are well-formed");
	CHECK_I64(domain.zeros.sets, 1, "over the two attributes");
	CHECK_I64(domain.zeros.set[0].tuples, 3, "each pair that descends");
	CHECK(memcmp(domain.zeros.set[0].code, expected, sizeof(expected)) == 0,
		  "and none that ascends, or has no row before");
	domain = unit_domain(arena, nullable, 3);
	last_is_other(&domain.attribute[0]);
	last_is_other(&domain.attribute[2]);
	CHECK_OK(dp_monotonicity(&domain, 0, 2, arena, NULL), "where a value may be missing");
	CHECK_I64(domain.zeros.set[0].tuples, 3, "it may follow on any");
	CHECK(memcmp(domain.zeros.set[0].code, expected, sizeof(expected)) == 0, "and any on it");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_zeros(&arena);
	test_order(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
