/*
 * method_privbayes.c -- a Bayesian network, noisy tables of its nodes, and
 * ancestral sampling.
 *
 * privbayes
 *
 * Inputs:      p attributes; degree k, or the rule by which the data's size chooses it
 * Output:      for each attribute the table of it and its parents with noise on every cell; the
 *              first k + 1 attributes share one. Rows are drawn attribute by attribute, each given
 *              its parents.
 * Neighbours:  the dataset's
 * Guarantee:   (epsilon, 0)-DP by basic, adaptive composition of the row count (only where the
 *              degree depends on it and it is secret), p - 1 selections (dp_network_select), and
 *              the tables, into each of which a row is counted once (dp_table_release)
 * Source:      Zhang, Cormode, Procopiuc, Srivastava, Xiao, "PrivBayes: private data release via
 *              Bayesian networks" (2014). Departures: docs/methods/privbayes.md. The main ones:
 *              integer noise, tables made to agree (consistency.c) and projected on the simplex
 *              in place of cutting negative counts off, both neighbouring relations.
 */
#include "core/base/saturate.h"
#include "core/mechanism/mechanism.h"
#include "core/methods/registry.h"
#include "core/plan/method.h"
#include "core/plan/refuse.h"
#include "core/plan/release_table.h"
#include "core/sample/privbayes/privbayes_sampler.h"
#include "core/select/pairs.h"
#include "core/methods/privbayes/network.h"
#include "core/select/subsets.h"

#define OPEN_LEVELS 1000 /* assumed by a plan for an open attribute */
#define SELECTION "select network"
#define TABLES "conditional tables"

static const DpOptionSpec specs[] = {
	{
		.name = "parents",
		.type = DP_OPTION_INTEGER,
		.minimum = 0,
		.maximum = DP_DEGREE_MAX,
		.summary = "Columns that each column may depend on; by default the most for which the "
				   "tables are theta-useful.",
	},
	{
		.name = "theta",
		.type = DP_OPTION_SHARE,
		.fallback = "4",
		.minimum = 1000000,
		.maximum = INT64_C(1000000000000),
		.summary = "Rows in a cell over the scale of its noise that tables must have on average, "
				   "where \"parents\" is not given.",
	},
	DP_SPEC_SHARE("selection_share", "0.3", "Share of epsilon for selecting the network."),
	{
		.name = "network",
		.type = DP_OPTION_NAME_MAP,
		.summary = "Public network: for each column the list of columns that it depends on; "
				   "nothing is spent on choosing it.",
	},
	{
		.name = "cell_limit",
		.type = DP_OPTION_INTEGER,
		.fallback = "100000",
		.minimum = 1,
		.maximum = 10000000,
		.summary = "Cells that the table of a column and its parents may have.",
	},
	DP_SPEC_COUNT_SHARE,
};

typedef struct PrivBayesPlan
{
	const DpNetwork *network; /* public; NULL = to be selected */
	bool degree_given;
	uint32_t degree; /* the largest that is allowed, if the degree is not given */
	double theta;
	uint64_t cell_limit;
	int64_t epsilon_rows_nano;   /* 0 = no row count is bought */
	int64_t epsilon_select_nano; /* epsilon of one selection */
	int64_t epsilon_tables_nano; /* epsilon of all tables */
} PrivBayesPlan;

/* ---- plan ---- */

static DpStatus
too_many_sets(DpError *error)
{
	(void) dp_fail(error, DP_ERR_LIMIT, "there are too many sets of columns to choose from");
	dp_fail_detail(error, "The limit is %d.", DP_SUBSETS_TOTAL_MAX);
	dp_fail_hint(error, "Lower \"parents\", give a public \"network\", or model fewer columns.");
	return DP_ERR_LIMIT;
}

/* Reads the degree that is wanted, or the largest among which the rule may choose. */
static DpStatus
plan_degree(const DpPlan *plan, PrivBayesPlan *pb, DpError *error)
{
	uint32_t p = plan->request->domain->attributes;

	pb->degree_given = dp_option_given(plan->request->options, "parents");
	pb->degree = pb->degree_given ? (uint32_t) dp_plan_option(plan, "parents") : DP_DEGREE_MAX;
	pb->degree = pb->degree < p ? pb->degree : p - 1;
	pb->degree_given |= pb->degree == 0;
	if (pb->network != NULL)
		return DP_OK;
	while (!pb->degree_given && dp_subsets_total(p, pb->degree + 1) > DP_SUBSETS_TOTAL_MAX)
		pb->degree--;
	return dp_subsets_total(p, pb->degree + 1) <= DP_SUBSETS_TOTAL_MAX ? DP_OK
																	   : too_many_sets(error);
}

static DpStatus
plan_selection(DpPlan *plan, PrivBayesPlan *pb, int64_t *left_nano, DpError *error)
{
	uint64_t selections = plan->request->domain->attributes - 1;
	int64_t share =
		dp_share_floor(plan->remaining.epsilon_nano, dp_plan_option(plan, "selection_share"));
	DpStage stage = {.name = SELECTION, .tables = selections};
	DpSubsetsCostEstimate cost_estimate;

	if (pb->network != NULL || pb->degree == 0)
		return DP_OK;
	stage.each = dp_cost_pure(share / (int64_t) selections);
	DP_TRY(dp_plan_selection(plan, &stage, dp_dependence_sensitivity(&plan->request->unit), error));
	pb->epsilon_select_nano = stage.each.epsilon_nano;
	*left_nano -= stage.total.epsilon_nano;
	cost_estimate = dp_subsets_cost_estimate(plan->request->domain, pb->degree + 1, pb->cell_limit);
	plan->scans += cost_estimate.scans;
	plan->memory_bytes = dp_add_saturated(plan->memory_bytes, cost_estimate.bytes);
	dp_plan_counts(plan, cost_estimate.bytes);
	return DP_OK;
}

/* The rule needs the number of rows: a public one is counted, a secret one is measured with a part
 * of the budget. */
static DpStatus
plan_row_count(DpPlan *plan, PrivBayesPlan *pb, int64_t *left_nano, DpError *error)
{
	if (pb->network != NULL || pb->degree_given)
		return DP_OK;
	plan->scans++;
	if (dp_unit_rows_public(&plan->request->unit))
		return DP_OK;
	DP_TRY(dp_plan_rows(plan, dp_plan_option(plan, "count_share"), &pb->epsilon_rows_nano, error));
	*left_nano -= pb->epsilon_rows_nano;
	return DP_OK;
}

static uint32_t
node_attributes(const DpNetworkNode *node, uint32_t *out)
{
	for (uint32_t k = 0; k < node->parents; k++)
		out[k] = node->parent[k];
	out[node->parents] = node->child;
	return node->parents + 1;
}

/* Lists the attributes of a table. The first table holds nodes 0..clique in the order of the
 * network; each other table holds one node. */
static uint32_t
table_attributes(const DpNetwork *network, uint32_t table, uint32_t *out)
{
	uint32_t clique = dp_network_clique(network);

	if (table > 0)
		return node_attributes(&network->node[clique + table], out);
	for (uint32_t k = 0; k <= clique; k++)
		out[k] = network->node[k].child;
	return clique + 1;
}

static uint32_t
tables_of(const DpNetwork *network)
{
	return network->n - dp_network_clique(network);
}

/*
 * How many values an open column has is known only after they are paid for. A table of it
 * and others could be too large then. A selected network keeps within cell_limit; a public
 * one cannot.
 */
static DpStatus
check_open_alone(const DpDomain *domain, const DpNetwork *network, DpError *error)
{
	uint32_t attributes[DP_ATTRIBUTES_MAX];

	for (uint32_t t = 0; t < tables_of(network); t++)
	{
		uint32_t n = table_attributes(network, t, attributes);

		for (uint32_t k = 0; k < n && n > 1; k++)
		{
			if (!domain->attribute[attributes[k]].open)
				continue;
			(void) dp_fail(error, DP_ERR_ARGUMENT,
						   "open column \"%s\" has parents or children in option \"network\"",
						   domain->attribute[attributes[k]].name);
			dp_fail_hint(
				error,
				"Let the network be selected, declare the column's categories, or give it none.");
			return DP_ERR_ARGUMENT;
		}
	}
	return DP_OK;
}

static DpStatus
plan_network(const DpPlan *plan, PrivBayesPlan *pb, DpArena *arena, DpError *error)
{
	const DpDomain *domain = plan->request->domain;
	const DpOption *option = dp_option_lists(plan->request->options, "network");
	DpParents *parents;
	DpNetwork *network;

	if (option == NULL)
		return DP_OK;
	parents = dp_alloc(arena, domain->attributes, sizeof(*parents));
	network = dp_alloc(arena, 1, sizeof(*network));
	if (parents == NULL || network == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(dp_parents_from_map(option, domain, DP_DEGREE_MAX, parents, arena, error));
	DP_TRY(dp_network_from_parents(domain, parents, network, arena, error));
	DP_TRY(check_open_alone(domain, network, error));
	pb->network = network;
	return DP_OK;
}

/* Like dp_domain_cells, with an estimate for attributes that are yet to be discovered. */
static uint64_t
estimate_cells(const DpDomain *domain, const uint32_t *attributes, uint32_t n)
{
	uint64_t cells = 1;

	for (uint32_t k = 0; k < n; k++)
	{
		const DpAttribute *attribute = &domain->attribute[attributes[k]];

		cells = dp_multiply_saturated(cells, attribute->open ? OPEN_LEVELS : attribute->levels);
	}
	return cells;
}

/* Counts the cells of all tables: exactly where they are known, otherwise an upper bound. */
static uint64_t
estimated_cells(const DpPlan *plan, const PrivBayesPlan *pb)
{
	const DpDomain *domain = plan->request->domain;
	uint32_t attributes[DP_ATTRIBUTES_MAX];
	uint64_t cells = 0;

	for (uint32_t t = 0; pb->network != NULL && t < tables_of(pb->network); t++)
	{
		uint32_t n = table_attributes(pb->network, t, attributes);

		cells = dp_add_saturated(cells, estimate_cells(domain, attributes, n));
	}
	for (uint32_t a = 0; pb->network == NULL && a < domain->attributes; a++)
	{
		uint64_t own = estimate_cells(domain, &a, 1);

		cells += pb->degree > 0 && own < pb->cell_limit ? pb->cell_limit : own;
	}
	return cells;
}

/*
 * A table that lies within another is not released, and the other tables share its epsilon.
 * How many there are is known once the network is. Epsilon is the same however it is
 * divided. Rho is largest for one table, but a tiny rho of each is rounded up, and then the
 * sum is largest for many tables. The plan takes the largest of all.
 */
static void
reckon_with_fewer_tables(DpPlan *plan, int64_t epsilon_nano, uint32_t tables)
{
	DpStage *stage = &plan->stage[plan->stages - 1];
	int64_t most_pico = stage->total.rho_pico;

	for (int64_t n = 1; n < tables; n++)
	{
		int64_t rho_pico = n * dp_cost_pure(epsilon_nano / n).rho_pico;

		most_pico = most_pico > rho_pico ? most_pico : rho_pico;
	}
	plan->cost.rho_pico += most_pico - stage->total.rho_pico;
	stage->total.rho_pico = most_pico;
}

static DpStatus
plan_tables(DpPlan *plan, PrivBayesPlan *pb, int64_t left_nano, DpError *error)
{
	uint32_t p = plan->request->domain->attributes;
	uint32_t tables =
		pb->network != NULL ? tables_of(pb->network) : p; /* an upper bound: see above */
	bool certain = pb->network != NULL || pb->degree == 0;
	uint64_t cells = estimated_cells(plan, pb);
	int64_t each_nano;

	if (cells > DP_MODEL_CELLS_MAX)
		return dp_refuse_cells(TABLES, DP_MODEL_CELLS_MAX, "lower \"cell_limit\"", error);
	pb->epsilon_tables_nano = left_nano > 0 ? left_nano : 0;
	plan->scans++;
	plan->memory_bytes = dp_add_saturated(plan->memory_bytes, cells * 4 * sizeof(int64_t));
	dp_plan_counts(plan, cells * sizeof(int64_t));
	each_nano = dp_budget_divide(dp_cost_pure(pb->epsilon_tables_nano), tables).epsilon_nano;
	DP_TRY(dp_plan_laplace(plan, TABLES, tables, dp_cost_pure(each_nano),
						   certain && dp_open_attributes(plan->request->domain) == 0 ? cells : 0,
						   error));
	reckon_with_fewer_tables(plan, pb->epsilon_tables_nano, tables);
	return DP_OK;
}

static DpStatus
privbayes_plan(DpPlan *plan, DpArena *arena, DpError *error)
{
	int64_t left_nano = plan->remaining.epsilon_nano;
	PrivBayesPlan *pb = dp_alloc(arena, 1, sizeof(*pb));

	if (pb == NULL)
		return DP_ERR_MEMORY;
	plan->private_data = pb;
	pb->theta = (double) dp_plan_option(plan, "theta") * 1e-9;
	pb->cell_limit = (uint64_t) dp_plan_option(plan, "cell_limit");
	DP_TRY(plan_network(plan, pb, arena, error));
	DP_TRY(plan_degree(plan, pb, error));
	DP_TRY(plan_row_count(plan, pb, &left_nano, error));
	DP_TRY(plan_selection(plan, pb, &left_nano, error));
	return plan_tables(plan, pb, left_nano, error);
}

/* How many parents the theta rule allows for so many rows, public or noisy. */
static uint32_t
degree_for(const DpDomain *domain, const PrivBayesPlan *pb, const DpUnit *unit, int64_t rows)
{
	return dp_network_degree(pb->degree, domain, rows,
							 dp_unit_laplace(unit, pb->epsilon_tables_nano), pb->theta);
}

/* Rows decide how many parents there are, and these what is counted. */
static void
privbayes_expect(const DpPlan *plan, uint64_t rows, DpCostEstimate *estimate)
{
	const PrivBayesPlan *pb = plan->private_data;
	bool decides = rows > 0 && pb->network == NULL && !pb->degree_given;
	uint32_t degree = pb->degree;
	DpSubsetsCostEstimate counted;

	if (pb->network != NULL)
		return;
	if (decides)
		degree = degree_for(plan->request->domain, pb, &plan->request->unit, (int64_t) rows);
	counted = dp_subsets_cost_estimate(plan->request->domain, degree + 1, pb->cell_limit);
	estimate->members = (double) counted.members;
	dp_expect_tables(estimate, plan->request->domain->attributes, degree + 1);
	estimate->scans = counted.scans + 1 + !pb->degree_given;
	estimate->bytes = 0;
	dp_expect_scores(estimate, counted.scored);
	for (uint32_t a = 0; a < plan->request->domain->attributes; a++)
		dp_expect_counts(estimate, estimate_cells(plan->request->domain, &a, 1));
	dp_expect_counts(estimate, counted.cells);
}

/* ---- measure ---- */

/* The degree by the theta rule, from a public or a noisy number of rows. */
static DpStatus
measure_degree(const DpMeasurement *m, const PrivBayesPlan *pb, DpTable *count, uint32_t *degree,
			   DpError *error)
{
	const DpUnit *unit = &m->plan->request->unit;
	const uint32_t first = 0;
	DpMarginal one = {.arena = NULL};
	int64_t rows;

	*degree = pb->degree;
	if (pb->degree_given || pb->network != NULL)
		return DP_OK;
	DP_TRY(
		dp_marginal_init(&one, m->domain, &(DpAttributeSet){1, &first}, DP_DENSE, m->arena, error));
	DP_TRY(dp_count_marginals(m, &one, 1, error));
	rows = one.total;
	dp_marginal_free(&one);
	if (pb->epsilon_rows_nano > 0)
	{
		DP_TRY(dp_rows_release(m, rows, dp_cost_pure(pb->epsilon_rows_nano), count));
		rows = count->value[0];
	}
	*degree = degree_for(m->domain, pb, unit, rows > 0 ? rows : 0);
	return DP_OK;
}

/* The network without parents. There is nothing to select. */
static DpStatus
independent_network(const DpMeasurement *m, DpNetwork *network)
{
	network->n = m->domain->attributes;
	network->node = dp_alloc(m->arena, network->n, sizeof(*network->node));
	for (uint32_t a = 0; network->node != NULL && a < network->n; a++)
		network->node[a].child = a;
	return network->node == NULL ? DP_ERR_MEMORY : DP_OK;
}

static DpStatus
measure_network(const DpMeasurement *m, const PrivBayesPlan *pb, uint32_t degree,
				DpNetwork *network, DpError *error)
{
	const DpNetworkSelection selection = {
		.degree = degree,
		.cells_max = pb->cell_limit,
		.epsilon_each_nano = pb->epsilon_select_nano,
		.scale =
			dp_network_scale(degree, m->domain->attributes,
							 dp_unit_laplace(&m->plan->request->unit, pb->epsilon_tables_nano))};

	if (pb->network != NULL)
	{
		*network = *pb->network;
		return DP_OK;
	}
	if (degree == 0)
		return independent_network(m, network);
	dp_announce(m, SELECTION);
	return dp_network_select(m, &selection, network, error);
}

static DpStatus
count_tables(const DpMeasurement *m, const DpNetwork *network, DpMarginal *exact, DpError *error)
{
	uint32_t attributes[DP_ATTRIBUTES_MAX];
	uint32_t n = tables_of(network);

	for (uint32_t t = 0; t < n; t++)
	{
		uint32_t width = table_attributes(network, t, attributes);

		DP_TRY(dp_marginal_init(&exact[t], m->domain, &(DpAttributeSet){width, attributes},
								DP_DENSE, m->arena, error));
	}
	return dp_count_marginals(m, exact, n, error);
}

static DpStatus
release_tables(const DpMeasurement *m, const PrivBayesPlan *pb, uint32_t n, const DpTable *count,
			   DpMarginal *exact, DpModel *model)
{
	int64_t each_nano = pb->epsilon_tables_nano / n;
	int64_t rows = exact[0].total;

	DP_TRY(
		dp_tables_release(m, exact, n, dp_cost_pure(each_nano), pb->epsilon_rows_nano > 0, model));
	if (pb->epsilon_rows_nano > 0)
		model->table[n] = *count;
	dp_rows_finalize(m, rows, model);
	return DP_OK;
}

static DpStatus
privbayes_measure(const DpMeasurement *m, DpModel *model, DpError *error)
{
	const PrivBayesPlan *pb = m->plan->private_data;
	DpNetwork network;
	DpTable count = {.n = 0};
	DpMarginal *exact;
	uint32_t degree, n;

	DP_TRY(measure_degree(m, pb, &count, &degree, error));
	DP_TRY(measure_network(m, pb, degree, &network, error));
	dp_announce(m, TABLES);
	n = tables_of(&network);
	exact = dp_alloc(m->arena, n, sizeof(*exact));
	if (exact == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(count_tables(m, &network, exact, error));
	DP_TRY(release_tables(m, pb, n, &count, exact, model));
	dp_free(m->arena, exact, n, sizeof(*exact));
	return DP_OK;
}

const DpMethod dp_method_privbayes = {
	.name = "privbayes",
	.summary = "A Bayesian network chosen privately, with noisy tables of each column and those "
			   "it depends on.",
	.guarantee = "epsilon-DP; (epsilon, delta)-DP with open columns",
	.source = "PrivBayes, Zhang, Cormode, Procopiuc, Srivastava, Xiao 2014",
	DP_SPECS(specs),
	.plan = privbayes_plan,
	.measure = privbayes_measure,
	.expect = privbayes_expect,
	.sampler = &dp_privbayes_sampler,
};
