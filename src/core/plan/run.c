/*
 * run.c -- runs a plan behind the wall: what is the same for every method.
 */
#include "core/plan/run.h"

#include "core/domain/domain.h"
#include "core/domain/monotonicity.h"
#include "core/plan/domain_discovery.h"
#include "core/plan/discover_ranges.h"
#include "core/plan/method.h"
#include "core/plan/replicates.h"

/* Finds the bins of ranges, and makes m->domain the domain that has them. */
static DpStatus
finalize_ranges(DpMeasurement *m, DpError *error)
{
	DpDomain *found;

	if (dp_unknown_ranges(m->domain) == 0)
		return DP_OK;
	if (dp_requested_ranges(m->domain) > 0)
		dp_announce(m, "find bins");
	found = dp_alloc(m->arena, 1, sizeof(*found));
	DP_TRY_ALLOC(found);
	DP_TRY(dp_ranges_find(m, found, error));
	dp_ranges_take(m, found);
	m->domain = found;
	return DP_OK;
}

/* Zeros and rules can also exclude levels that the release has found. */
static DpStatus
add_rules(const DpMeasurement *m, DpDomain *domain)
{
	const DpRuleSource *rules = &m->plan->request->rules;

	if (rules->add_zeros == NULL)
		return DP_OK;
	return rules->add_zeros(rules->context, domain, m->arena);
}

/* Rows that are in order cannot have less than the row before. */
static DpStatus
add_order(const DpMeasurement *m, DpDomain *domain, DpError *error)
{
	const DpRequest *request = m->plan->request;

	return request->ordered
			   ? dp_monotonicity(domain, request->previous, request->order, m->arena, error)
			   : DP_OK;
}

/* What is known of rows is distributed as the table before says, at no cost. */
static DpStatus
add_parent_priors(const DpMeasurement *m, DpDomain *domain, DpError *error)
{
	return m->parent_priors == NULL
			   ? DP_OK
			   : dp_parent_priors_add(m->parent_priors, domain, m->noise.tick, m->arena, error);
}

/* Sets the domain of the model: the discovered one, or a copy in which the method itself will
 * close the open attributes. */
static DpStatus
finalize_domain(DpMeasurement *m, DpModel *model, DpError *error)
{
	DP_TRY(finalize_ranges(m, error));
	if (m->plan->method->keeps_open)
		return dp_domain_copy(m->domain, &model->domain, m->arena);
	if (dp_open_attributes(m->domain) > 0)
		dp_announce(m, "discover values");
	DP_TRY(dp_domain_discovery(m, &model->domain, error));
	m->domain = &model->domain;
	return DP_OK;
}

static DpStatus
measure_discovered(DpMeasurement *m, DpModel *model, DpError *error)
{
	bool keeps_open = m->plan->method->keeps_open;
	bool finds = dp_requested_ranges(m->domain) + dp_open_attributes(m->domain) > 0;

	DP_TRY(finalize_domain(m, model, error));
	if (finds && !keeps_open)
		DP_TRY(add_rules(m, &model->domain));
	DP_TRY(add_order(m, &model->domain, error));
	DP_TRY(add_parent_priors(m, &model->domain, error));
	model->unit = m->plan->request->unit;
	model->method = dp_strdup(m->arena, m->plan->method->name);
	DP_TRY_ALLOC(model->method);
	DP_TRY(dp_replicates_measure(m, model, error));
	if (finds && keeps_open) /* only now it has found the levels of open attributes */
		DP_TRY(add_rules(m, &model->domain));
	return dp_model_check(model, error);
}

DpStatus
dp_measure(const DpMeasurement *given, DpModel *model, DpError *error)
{
	const DpMeter *meter = given->noise.meter;
	DpMeasurement m = *given;
	DpBudget left;

	m.domain = m.plan->request->domain;
	*model = (DpModel){.rows = 0};
	if (error != NULL)
		error->status = DP_OK;
	/* A meter that cannot pay for all stages is refused before any data is touched. */
	if (dp_budget_subtract(meter->limit, meter->spent, &left) != DP_OK ||
		dp_budget_subtract(left, m.plan->cost, &left) != DP_OK)
		return dp_fail(error, DP_ERR_OVERDRAW, "the meter holds less than the plan costs");
	return dp_fail_filled(error, measure_discovered(&m, model, error));
}
