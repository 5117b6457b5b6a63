/*
 * rule_zeros.c -- the combinations of levels that break a rule, as structural zeros.
 */
#include <string.h>

#include "core/domain/rule.h"

#include "core/base/saturate.h"

/* Goes on to the next combination, the last attribute fastest; false after the last one. */
static bool
next_codes(const DpRule *rule, const DpDomain *domain, uint32_t *codes)
{
	for (uint32_t p = rule->n; p-- > 0;)
	{
		if (++codes[p] < domain->attribute[rule->attribute[p]].levels)
			return true;
		codes[p] = 0;
	}
	return false;
}

static bool
is_broken(const DpRules *rules, const DpRule *rule, const DpDomain *domain, const uint32_t *codes)
{
	return dp_rule_truth(rule, domain, rules->axis, codes) == DP_CAN_BE_FALSE;
}

static uint64_t
count_broken(const DpRules *rules, const DpRule *rule, const DpDomain *domain)
{
	uint32_t codes[DP_ZEROS_WIDTH_MAX] = {0};
	uint64_t broken = 0;

	do
		broken += is_broken(rules, rule, domain, codes);
	while (next_codes(rule, domain, codes));
	return broken;
}

static DpStatus
list_broken(const DpRules *rules, const DpRule *rule, const DpDomain *domain, DpZeroSet *set,
			DpArena *arena)
{
	uint32_t codes[DP_ZEROS_WIDTH_MAX] = {0};
	uint64_t i = 0;

	set->n = rule->n;
	set->attribute = dp_memdup(arena, rule->attribute, rule->n * sizeof(*set->attribute));
	set->code = dp_alloc(arena, set->tuples, rule->n * sizeof(*set->code));
	DP_TRY_ALLOC(set->attribute && set->code);
	do
		if (is_broken(rules, rule, domain, codes))
			memcpy(set->code + i++ * rule->n, codes, rule->n * sizeof(*codes));
	while (next_codes(rule, domain, codes));
	return DP_OK;
}

/* The zeros with one more set; sets over the same attributes become one. */
static DpStatus
unite(const DpZeros *zeros, const DpZeroSet *more, DpZeros *out, DpArena *arena, DpError *error)
{
	DpZeros one = {1, dp_memdup(arena, more, sizeof(*more))};
	DpZeroSet *into = NULL;
	uint32_t *codes;

	*out = (DpZeros){zeros->sets, dp_alloc(arena, (uint64_t) zeros->sets + 1, sizeof(*out->set))};
	DP_TRY_ALLOC(one.set && out->set);
	DP_TRY(dp_zeros_canonical(&one, arena, error));
	if (zeros->sets > 0)
		memcpy(out->set, zeros->set, zeros->sets * sizeof(*out->set));
	for (uint32_t s = 0; s < zeros->sets && into == NULL; s++)
		if (out->set[s].n == one.set->n && memcmp(out->set[s].attribute, one.set->attribute,
												  one.set->n * sizeof(*one.set->attribute)) == 0)
			into = &out->set[s];
	if (into == NULL)
	{
		out->set[out->sets++] = *one.set;
		return dp_zeros_canonical(out, arena, error);
	}
	codes = dp_alloc(arena, into->tuples + one.set->tuples, into->n * sizeof(*codes));
	DP_TRY_ALLOC(codes);
	memcpy(codes, into->code, into->tuples * into->n * sizeof(*codes));
	memcpy(codes + into->tuples * into->n, one.set->code,
		   one.set->tuples * into->n * sizeof(*codes));
	into->code = codes;
	into->tuples += one.set->tuples;
	return dp_zeros_canonical(out, arena, error);
}

/* Whether zeros are within their limits and some combination of each set is left. */
static bool
fits(const DpDomain *domain, const DpZeros *zeros)
{
	uint64_t tuples = 0;

	for (uint32_t s = 0; s < zeros->sets; s++)
	{
		const DpZeroSet *set = &zeros->set[s];

		tuples += set->tuples;
		if (set->tuples >= dp_domain_cells(domain, set->attribute, set->n))
			return false;
	}
	return zeros->sets <= DP_ZEROS_SETS_MAX && tuples <= DP_ZEROS_TUPLES_MAX;
}

static DpStatus
no_row_keeps(const DpRule *rule, DpError *error)
{
	(void) dp_fail(error, DP_ERR_ARGUMENT, "no row could keep the rule \"%s\" of the table",
				   rule->name);
	dp_fail_detail(error, "It contradicts the public domains of its columns, for all of their "
						  "levels, or the zeros that were declared.");
	dp_fail_hint(error, "The custodian can declare other domains with dp_define_column; see the "
						"views dp_columns and dp_declared_cells.");
	return DP_ERR_ARGUMENT;
}

static bool
has_levels(const DpRule *rule, const DpDomain *domain)
{
	for (uint32_t p = 0; p < rule->n; p++)
	{
		const DpAttribute *attribute = &domain->attribute[rule->attribute[p]];

		if (attribute->open || attribute->levels == 0 ||
			(attribute->range != NULL && attribute->range->state != DP_RANGE_FOUND))
			return false;
	}
	return dp_domain_cells(domain, rule->attribute, rule->n) <= DP_RULE_COMBINATIONS_MAX;
}

static DpStatus
add_zeros(const DpRules *rules, const DpRule *rule, DpDomain *domain, bool strict, DpArena *arena,
		  DpError *error)
{
	DpZeroSet set = {0};
	DpZeros united;

	if (rule->n == 0 || !has_levels(rule, domain))
		return DP_OK;
	set.tuples = count_broken(rules, rule, domain);
	if (set.tuples == 0)
		return DP_OK;
	if (set.tuples == dp_domain_cells(domain, rule->attribute, rule->n))
		return strict ? no_row_keeps(rule, error) : DP_OK;
	if (set.tuples > DP_ZEROS_TUPLES_MAX)
		return DP_OK;
	DP_TRY(list_broken(rules, rule, domain, &set, arena));
	DP_TRY(unite(&domain->zeros, &set, &united, arena, error));
	if (fits(domain, &united))
		domain->zeros = united;
	else if (strict && fits(domain, &domain->zeros) && united.sets == domain->zeros.sets)
		return no_row_keeps(rule, error);
	return DP_OK;
}

DpStatus
dp_rules_add_zeros(const DpRules *rules, DpDomain *domain, bool strict, DpArena *arena,
				   DpError *error)
{
	for (uint32_t i = 0; i < rules->n; i++)
		DP_TRY(add_zeros(rules, &rules->rule[i], domain, strict, arena, error));
	return DP_OK;
}
