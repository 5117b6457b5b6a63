/*
 * request_tree.c -- a release of several tables, from words to plans that share one budget.
 */
#include "core/plan/planner.h"
#include "pg/release/request.h"
#include "pg/release/request_parts.h"

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"

#include "pg/server/bridge.h"
#include "pg/server/json.h"

#define PARTS_OF_ROOT 2 /* of the budget */
#define PARTS_OF_OTHERS 5

/* ---- how rows count ---- */

static bool
budgets_equal(const DpBudget *a, const DpBudget *b)
{
	return a->epsilon_nano == b->epsilon_nano && a->delta_atto == b->delta_atto &&
		   a->rho_pico == b->rho_pico;
}

/* Whether two plans pay the same amounts for the same stages. */
static bool
same_amounts(const DpPlan *a, const DpPlan *b)
{
	bool same = a->stages == b->stages && budgets_equal(&a->cost, &b->cost);

	for (uint32_t i = 0; i < a->stages && same; i++)
		same = a->stage[i].tables == b->stage[i].tables &&
			   budgets_equal(&a->stage[i].total, &b->stage[i].total);
	return same;
}

/*
 * How many rows of one parent count in full is known when the parent's table is released. So the
 * most is planned for at once, too: noise alone may differ.
 */
void
dp_plan_full_rows(DpPrepared *prepared, const DpMethod *method, DpTableTree *tree, int number)
{
	DpTreeTable *table = &tree->table[number];
	uint32 above = table->parent >= 0 ? tree->table[table->parent].unit_rows_most : 1;
	DpRequest request = prepared->request;
	DpError error = {0};
	DpPlan plan;

	table->unit_rows_most = table->full * table->full_row * above;
	if (table->parent < 0)
		return;
	if (above > PG_INT32_MAX / table->dataset.rows_per_parent)
		return;
	request.unit.rows_max = table->dataset.rows_per_parent * above;
	if (dp_plan(method, &request, &plan, &prepared->arena, &error) != DP_OK ||
		!same_amounts(&plan, &prepared->plan))
		return;
	table->full_most = table->dataset.rows_per_parent;
	table->unit_rows_most = request.unit.rows_max;
}

void
dp_prepare_part_again(DpPrepared *part, const DpTreeTable *table)
{
	DpPlan plan;
	DpError error = {0};

	part->request.full_rows = table->full;
	if (part->request.unit.rows_max == table->unit_rows)
		return;
	part->request.unit.rows_max = table->unit_rows;
	if (dp_plan(part->plan.method, &part->request, &plan, &part->arena, &error) != DP_OK)
		dp_raise(&error);
	if (!same_amounts(&plan, &part->plan))
		elog(ERROR, "dpsyn: a plan for more rows costs something else");
	plan.memory_bytes = part->plan.memory_bytes;
	part->plan = plan;
}

/* ---- parts ---- */

void
dp_say_of_table(DpError *error, const char *table)
{
	char detail[sizeof(error->detail)];

	(void) snprintf(detail, sizeof(detail), "It is relation \"%s\".%s%s", table,
					error->detail[0] != '\0' ? " " : "", error->detail);
	dp_fail_detail(error, "%s", detail);
	if (strstr(error->hint, "columns") != NULL)
		dp_fail_hint(error,
					 "Leave columns of \"%s\" out by dp_define_column(..., fill => ...), declare "
					 "fewer categories or bins of them, or ask for method mst or for more epsilon.",
					 table);
}

void
dp_check_together(const DpReleaseRequest *request)
{
	DpOptions options = {0};

	if (list_length(dp_relations_together(request)) == 1)
		return;
	dp_options_from_jsonb(
		DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(request->options))), &options);
	if (dp_option_lists(&options, "columns") != NULL)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("option \"columns\" is for one relation"),
						errhint("dp_define_column(..., fill => '{null}') leaves a column out.")));
}

/* Rows of children are drawn given their parents, which a graphical model can. */
static void
check_tree_request(const DpReleaseRequest *request)
{
	if (strcmp(request->method, "mst") != 0 && strcmp(request->method, "aim") != 0)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("method \"%s\" releases one relation", request->method),
						errhint("Several together are released by aim or mst.")));
	if (request->sets > 1)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("sets must be 1 where several relations are released together")));
}

/* The relations that a text lists by their OIDs. */
static List *
relations_of(const char *words, Oid otherwise)
{
	List *relations = NIL;
	char *end;

	if (words == NULL || words[0] == '\0')
		return list_make1_oid(otherwise);
	for (const char *at = words; *at != '\0'; at = *end == ' ' ? end + 1 : end)
		relations = lappend_oid(relations, (Oid) strtoul(at, &end, 10));
	return relations;
}

List *
dp_released_relations(const DpReleaseRequest *request)
{
	return relations_of(request->tree, request->relation);
}

List *
dp_relations_together(const DpReleaseRequest *request)
{
	return relations_of(request->together, request->relation);
}

/*
 * The share of a table. The model of one below the root also has the columns of the ancestors and
 * what siblings were, and recalibrates the parent's model to the number of rows.
 */
static int64
share_of(const DpTableTree *tree, int number)
{
	return DP_EPSILON_ONE * (number == 0 ? PARTS_OF_ROOT : PARTS_OF_OTHERS) /
		   (PARTS_OF_ROOT + PARTS_OF_OTHERS * (tree->tables - 1));
}

/* The tables of a tree, each with its share of the budget: of its rho, or of epsilon and delta. NULL
 * and an error: a plan failed. */
static DpPrepared **
prepare_parts(const DpReleaseRequest *request, DpTableTree *tree, bool by_rho, DpError *error)
{
	DpPrepared **part = palloc0(sizeof(DpPrepared *) * tree->tables);

	for (int i = 0; i < tree->tables; i++)
	{
		DpReleaseRequest own = *request;
		int64 share_nano = share_of(tree, i);

		own.relation = tree->table[i].relation;
		own.epsilon_nano = dp_share_floor(request->epsilon_nano, share_nano);
		own.delta_atto = dp_share_floor(request->delta_atto, share_nano);
		part[i] = dp_prepare_table(&own, (DpPartPlace){tree, i, by_rho ? share_nano : 0}, error);
		if (part[i] == NULL)
			return NULL;
		(void) dp_tree_fill(tree, i);
	}
	return part;
}

static DpStatus
parts_check(const DpReleaseRequest *request, DpPrepared *const *part, int parts, DpBudget *cost)
{
	const DpPlan **plan = palloc(sizeof(DpPlan *) * parts);

	for (int i = 0; i < parts; i++)
		plan[i] = &part[i]->plan;
	return dp_plans_check(
		plan, (uint32_t) parts,
		(DpBudget){.epsilon_nano = request->epsilon_nano, .delta_atto = request->delta_atto}, cost);
}

/*
 * Rho that is shared out buys more than the rho of a share. Where tables of a tree also pay in
 * epsilon, as for values that they find, the sum of both can be too much. Then epsilon and delta
 * are shared out.
 */
DpPrepared *
dp_prepare_tree(const DpReleaseRequest *request, DpError *error)
{
	DpTableTree *tree = dp_tree_of(dp_released_relations(request));
	DpPrepared **part;
	DpBudget cost;

	check_tree_request(request);
	part = prepare_parts(request, tree, true, error);
	if (part == NULL)
		return NULL;
	if (parts_check(request, part, tree->tables, &cost) != DP_OK)
	{
		part = prepare_parts(request, tree, false, error);
		if (part == NULL)
			return NULL;
		if (parts_check(request, part, tree->tables, &cost) != DP_OK)
			elog(ERROR, "dpsyn: costs of a tree do not add up");
	}
	part[0]->tree = tree;
	part[0]->part = part;
	part[0]->plan.cost = cost;
	return part[0];
}
