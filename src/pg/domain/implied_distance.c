/*
 * implied_distance.c -- which columns a CHECK puts after another, and their ranges as distances.
 *
 * Two dates are two wide columns, whose bins are months. So rows drawn from them have stays of
 * weeks where the data has days, and a release that has one of them and the distance is nearer to
 * the table in all that depends on both. Numbers are left alone: a total is not told by a discount
 * and the rest of it.
 *
 * Of `a <= b` and `b <= c` both b and c are distances from a, since a distance needs a column that
 * is none.
 */
#include "pg/domain/implied_distance.h"

#include "access/relation.h"
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

#include "pg/domain/checks.h"
#include "pg/domain/distance.h"
#include "pg/domain/schema_checks.h"

#define DAYS_MOST INT64_C(10000000)                             /* between two dates, and more */
#define MICROSECONDS_MOST (INT64_C(9999) * 366 * USECS_PER_DAY) /* between two timestamps */

/* That a column is not before another: their numbers. */
typedef struct Order
{
	AttrNumber later;
	AttrNumber earlier;
	bool strict; /* nor at the same time */
} Order;

/* ---- what a CHECK says ---- */

static AttrNumber
number_of_var(Node *node)
{
	return node != NULL && IsA(node, Var) ? ((Var *) node)->varattno : InvalidAttrNumber;
}

static bool
order_of_comparison(const OpExpr *comparison, Order *order)
{
	List *meanings =
		comparison->opno < FirstUnpinnedObjectId ? DP_MEANINGS_OF_OPERATOR(comparison->opno) : NIL;
	AttrNumber left, right;

	if (meanings == NIL || list_length(comparison->args) != 2)
		return false;
	left = number_of_var(linitial(comparison->args));
	right = number_of_var(lsecond(comparison->args));
	if (left <= 0 || right <= 0 || left == right)
		return false;
	switch (DP_MEANING_STRATEGY(linitial(meanings)))
	{
		case BTLessStrategyNumber:
			*order = (Order){right, left, true};
			return true;
		case BTLessEqualStrategyNumber:
			*order = (Order){right, left, false};
			return true;
		case BTGreaterEqualStrategyNumber:
			*order = (Order){left, right, false};
			return true;
		case BTGreaterStrategyNumber:
			*order = (Order){left, right, true};
			return true;
		default:
			return false;
	}
}

/* `discharged IS NULL OR discharged >= admitted` says what its second part says. */
static bool
order_of(Node *node, Order *order)
{
	Node *rest = NULL;
	ListCell *cell;

	if (IsA(node, OpExpr))
		return order_of_comparison((OpExpr *) node, order);
	if (!is_orclause(node))
		return false;
	foreach (cell, ((BoolExpr *) node)->args)
	{
		Node *part = lfirst(cell);

		if (!IsA(part, NullTest) && rest != NULL)
			return false;
		if (!IsA(part, NullTest))
			rest = part;
	}
	if (rest == NULL || !IsA(rest, OpExpr) || !order_of_comparison((OpExpr *) rest, order))
		return false;
	foreach (cell, ((BoolExpr *) node)->args)
	{
		NullTest *test = lfirst(cell);
		AttrNumber number;

		if (!IsA(test, NullTest))
			continue;
		number = number_of_var((Node *) test->arg);
		if (test->nulltesttype != IS_NULL || (number != order->later && number != order->earlier))
			return false;
	}
	return true;
}

/* ---- which columns serve ---- */

static int
attribute_of(const DpRelation *relation, AttrNumber number)
{
	for (uint32 a = 0; a < relation->domain.attributes; a++)
		if (relation->column[a].number == number && relation->column[a].field == NULL)
			return (int) a;
	return -1;
}

/* The range of a column of dates or timestamps that is modelled as it is; NULL: it is not. */
static const DpRange *
range_of(const DpRelation *relation, int attribute)
{
	const DpRange *range = attribute < 0 ? NULL : relation->domain.attribute[attribute].range;

	if (range == NULL || relation->column[attribute].base != 0 ||
		(range->grid.kind != DP_GRID_DATE && range->grid.kind != DP_GRID_TIMESTAMP &&
		 range->grid.kind != DP_GRID_TIMESTAMPTZ))
		return NULL;
	return range;
}

/* A constant default, such as 'infinity' or 9999-12-31, is a level of its own, and no distance. */
static bool
can_be_later(Relation heap, const DpRelation *relation, int attribute, const char *except)
{
	return range_of(relation, attribute) != NULL && relation->column[attribute].source != NULL &&
		   strcmp(relation->column[attribute].source, "declared") != 0 &&
		   (except == NULL || strcmp(relation->domain.attribute[attribute].name, except) != 0) &&
		   dp_constant_default(heap, relation->column[attribute].number) == NULL;
}

static bool
can_be_earlier(const DpRelation *relation, int attribute, Oid type)
{
	return range_of(relation, attribute) != NULL && relation->column[attribute].own_type == type &&
		   !relation->domain.attribute[attribute].has_other;
}

/* ---- distances ---- */

/* The grid of distances between the values of two grids of one kind. */
static DpGrid
grid_of_distances(const DpGrid *later, const DpGrid *earlier, bool strict)
{
	bool days = later->kind == DP_GRID_DATE;
	double last = (double) later->last * (double) later->step;
	double first = (double) earlier->first * (double) earlier->step;
	double most = (double) (days ? DAYS_MOST : MICROSECONDS_MOST);
	int64 width = (int64) Max(Min(last - first, most), 0) / later->step;
	int64 least = days && strict ? 1 : 0;

	return (DpGrid){.kind = days ? DP_GRID_NUMBER : DP_GRID_INTERVAL,
					.first = least,
					.last = Max(width, least),
					.step = later->step};
}

static void
make_distance(DpRelation *relation, int later, int earlier, bool strict)
{
	DpAttribute *attribute = &relation->domain.attribute[later];
	DpColumn *column = &relation->column[later];
	DpRange *range = palloc(sizeof(DpRange));

	*range = *attribute->range;
	range->grid =
		grid_of_distances(&range->grid, &relation->domain.attribute[earlier].range->grid, strict);
	attribute->range = range;
	column->base = relation->column[earlier].number;
	column->base_name = relation->domain.attribute[earlier].name;
	column->type = dp_distance_type(column->own_type);
	column->typmod = -1;
	column->collation = InvalidOid;
	attribute->type = format_type_with_typemod(column->type, -1);
}

/* The orders that serve, of each later column the first: before[a] is the attribute before a. */
static void
orders_read(Relation heap, const DpRelation *relation, const char *except, int *before,
			bool *strict)
{
	ListCell *cell;

	foreach (cell, relation->checks)
	{
		const DpCheck *check = lfirst(cell);
		Order order;
		int later, earlier;

		if (check->expression == NULL || !order_of(check->expression, &order))
			continue;
		later = attribute_of(relation, order.later);
		earlier = attribute_of(relation, order.earlier);
		if (!can_be_later(heap, relation, later, except) || before[later] >= 0 ||
			!can_be_earlier(relation, earlier, relation->column[later].own_type))
			continue;
		before[later] = earlier;
		strict[later] = order.strict;
	}
}

/* The first of those before an attribute; -1: they go in a circle. */
static int
first_before(const int *before, int attribute, uint32 attributes)
{
	for (uint32 steps = 0; steps <= attributes; steps++)
	{
		if (before[attribute] < 0)
			return attribute;
		attribute = before[attribute];
	}
	return -1;
}

void
dp_relation_imply_distances(DpRelation *relation, const char *except)
{
	uint32 n = relation->domain.attributes;
	int *before = palloc(sizeof(int) * Max(n, 1));
	bool *strict = palloc0(sizeof(bool) * Max(n, 1));
	Relation heap;

	if (relation->checks == NIL)
		return;
	for (uint32 a = 0; a < n; a++)
		before[a] = -1;
	heap = relation_open(relation->oid, AccessShareLock);
	orders_read(heap, relation, except, before, strict);
	relation_close(heap, AccessShareLock);
	for (uint32 a = 0; a < n; a++)
	{
		int first = first_before(before, (int) a, n);

		if (first >= 0 && first != (int) a)
			make_distance(relation, (int) a, first, strict[a]);
	}
}
