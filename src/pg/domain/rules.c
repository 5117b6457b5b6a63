/*
 * rules.c -- a CHECK as a rule of core/domain/rule.h: AND, OR and NOT of comparisons of linear
 * forms, and of conditions that the levels of categories decide.
 *
 * Every number is counted in millionths: 1 is 1000000, and so is a second. So dates, timestamps
 * and intervals can be compared, and what has up to six digits after the point is an integer, which
 * a double holds exactly. Conditions over categories alone are evaluated, level by level. Whatever
 * else there is may be true, false or NULL, as far as the rule knows; it is kept when rows are
 * drawn.
 */
#include "pg/domain/rules.h"

#include "access/stratnum.h"
#include "access/transam.h"
#include "catalog/pg_operator_d.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "pg/domain/range_part.h"
#include "pg/domain/references.h"
#include "pg/domain/rule_compiler.h"
#include "pg/domain/schema_checks.h"
#include "pg/server/values.h"

#define EVALUATION_WORK_MAX 1e8 /* of the conditions of one CHECK, at all their levels */
#define NESTED_MAX 3            /* conditions that are compared with each other, in each other */

uint32
dp_rule_position(DpRuleCompiler *compiler, uint32 attribute)
{
	DpRule *rule = compiler->rule;
	uint32 known = Min(rule->n, DP_ZEROS_WIDTH_MAX);

	for (uint32 p = 0; p < known; p++)
		if (rule->attribute[p] == attribute)
			return p;
	if (rule->n < DP_ZEROS_WIDTH_MAX)
		rule->attribute[rule->n] = attribute;
	return rule->n++;
}

const DpRuleColumn *
dp_rule_column(const DpRuleCompiler *compiler, const Var *var)
{
	static const DpRuleColumn none = {.attribute = -1};

	return var->varattno <= compiler->place->columns ? &compiler->place->column[var->varattno - 1]
													 : &none;
}

/* ---- conditions ---- */

DpRuleNode *
dp_rule_node(DpRuleKind kind, uint32 n)
{
	DpRuleNode *node = palloc0(sizeof(DpRuleNode));

	node->kind = kind;
	node->n = n;
	node->child = palloc0(sizeof(DpRuleNode *) * Max(n, 1));
	node->position = palloc0(sizeof(uint32) * Max(n, 1));
	node->coefficient = palloc0(sizeof(double) * Max(n, 1));
	return node;
}

static DpRuleNode *
node_constant(unsigned truth)
{
	DpRuleNode *node = dp_rule_node(DP_RULE_CONSTANT, 0);

	node->truth = truth;
	return node;
}

unsigned
dp_rule_truth_of(Datum value, bool isnull)
{
	if (isnull)
		return DP_CAN_BE_NULL;
	return DatumGetBool(value) ? DP_CAN_BE_TRUE : DP_CAN_BE_FALSE;
}

unsigned
dp_rule_negated(unsigned truth, bool negate)
{
	unsigned result = truth & DP_CAN_BE_NULL;

	if (!negate)
		return truth;
	if (truth & DP_CAN_BE_TRUE)
		result |= DP_CAN_BE_FALSE;
	if (truth & DP_CAN_BE_FALSE)
		result |= DP_CAN_BE_TRUE;
	return result;
}

/* The comparison that an operator is, by the order of its type. */
static bool
comparison_of(Oid operator, DpComparison * comparison)
{
	List *meanings = operator<FirstUnpinnedObjectId ? DP_MEANINGS_OF_OPERATOR(operator) : NIL;
	static const DpComparison by_strategy[] = {DP_EQUAL, DP_BELOW,    DP_AT_MOST,
											   DP_EQUAL, DP_AT_LEAST, DP_ABOVE};

	if (meanings == NIL)
		return false;
	switch (DP_MEANING_STRATEGY(linitial(meanings)))
	{
		case BTLessStrategyNumber:
		case BTLessEqualStrategyNumber:
		case BTEqualStrategyNumber:
		case BTGreaterEqualStrategyNumber:
		case BTGreaterStrategyNumber:
			*comparison = by_strategy[DP_MEANING_STRATEGY(linitial(meanings))];
			return true;
		default: /* <>, which no B-tree has a strategy for */
			*comparison = DP_DIFFERENT;
			return true;
	}
}

static DpRuleNode *
compile_comparison(DpRuleCompiler *compiler, OpExpr *operation, bool negate)
{
	DpRuleNode *node;
	DpRuleForm form = {0};
	DpComparison comparison;

	if (list_length(operation->args) != 2 || !comparison_of(operation->opno, &comparison) ||
		!dp_rule_is_ordered(getBaseType(exprType(linitial(operation->args)))) ||
		!dp_rule_form(compiler, linitial(operation->args), 1, &form) ||
		!dp_rule_form(compiler, lsecond(operation->args), -1, &form))
		return node_constant(DP_CAN_BE_ANY);
	if (form.isnull)
		return node_constant(DP_CAN_BE_NULL);
	node = dp_rule_node(DP_RULE_LINEAR, form.n);
	node->comparison = negate ? dp_comparison_opposite(comparison) : comparison;
	node->constant = form.constant;
	node->constant_error = dp_rule_form_error(&form, form.constant_sum);
	node->error = palloc(sizeof(double) * Max(form.n, 1));
	for (uint32 k = 0; k < form.n; k++)
	{
		/* an attribute that cancels out can still be NULL */
		node->position[k] = dp_rule_position(compiler, form.attribute[k]);
		node->coefficient[k] = form.coefficient[k];
		node->error[k] = dp_rule_form_error(&form, form.coefficient_sum[k]);
	}
	return node;
}

/* ---- NULL or not, whatever the kind of the levels ---- */

static DpRuleNode *
compile_missing(DpRuleCompiler *compiler, const DpRuleColumn *column, bool is_null)
{
	const DpAttribute *attribute;
	DpRuleNode *node;
	unsigned char *truth;

	if (column->attribute < 0 && column->refers > 0)
	{
		node = dp_rule_node(DP_RULE_LEVELS, 1);
		node->levels =
			dp_reference_levels(&compiler->place->domain->attribute[column->refers - 1], !is_null);
		node->position[0] = dp_rule_position(compiler, column->refers - 1);
		return node;
	}
	if (column->attribute < 0)
		return node_constant(is_null ? DP_CAN_BE_TRUE : DP_CAN_BE_FALSE);
	attribute = &compiler->place->domain->attribute[column->attribute];
	if (attribute->open)
		return node_constant(DP_CAN_BE_TRUE | DP_CAN_BE_FALSE);
	truth = palloc0(Max(attribute->levels, 1));
	for (uint32 i = 0; i < attribute->levels; i++)
	{
		bool missing = dp_attribute_has_null(attribute) && i == attribute->levels - 1;

		truth[i] = missing == is_null ? DP_CAN_BE_TRUE : DP_CAN_BE_FALSE;
	}
	node = dp_rule_node(DP_RULE_LEVELS, 1);
	node->levels = truth;
	node->position[0] = dp_rule_position(compiler, (uint32) column->attribute);
	return node;
}

/* A distance is no value where its base is none. */
static DpRuleNode *
compile_null(DpRuleCompiler *compiler, const DpRuleColumn *column, bool is_null)
{
	DpRuleNode *own = compile_missing(compiler, column, is_null);
	DpRuleNode *both;

	if (column->base == 0)
		return own;
	both = dp_rule_node(is_null ? DP_RULE_OR : DP_RULE_AND, 2);
	both->child[0] = own;
	both->child[1] = compile_null(compiler, &compiler->place->column[column->base - 1], is_null);
	return both;
}

/* ---- all of a CHECK ---- */

static DpRuleNode *compile(DpRuleCompiler *compiler, Node *node, bool negate);

static DpRuleNode *
compile_logic(DpRuleCompiler *compiler, const BoolExpr *logic, bool negate)
{
	bool is_and = (logic->boolop == AND_EXPR) != negate;
	DpRuleNode *node;
	ListCell *cell;

	if (logic->boolop == NOT_EXPR)
		return compile(compiler, linitial(logic->args), !negate);
	node = dp_rule_node(is_and ? DP_RULE_AND : DP_RULE_OR, list_length(logic->args));
	foreach (cell, logic->args)
		node->child[foreach_current_index(cell)] = compile(compiler, lfirst(cell), negate);
	return node;
}

/* Whether an operator compares two conditions: (status = 'left') = (gone IS NOT NULL). */
static bool
is_of_conditions(const OpExpr *operation)
{
	return operation->opno == BooleanEqualOperator || operation->opno == BooleanNotEqualOperator;
}

/* a = b as (a AND b) OR (NOT a AND NOT b), which is NULL where one of them is. */
static DpRuleNode *
compile_conditions(DpRuleCompiler *compiler, const OpExpr *operation, bool negate)
{
	bool differ = (operation->opno == BooleanNotEqualOperator) != negate;
	DpRuleNode *node;

	if (compiler->nested == NESTED_MAX) /* each side is compiled twice */
		return node_constant(DP_CAN_BE_ANY);
	compiler->nested++;
	node = dp_rule_node(DP_RULE_OR, 2);
	for (int holds = 0; holds < 2; holds++)
	{
		DpRuleNode *both = node->child[holds] = dp_rule_node(DP_RULE_AND, 2);

		both->child[0] = compile(compiler, linitial(operation->args), holds == 0);
		both->child[1] = compile(compiler, lsecond(operation->args), (holds == 0) != differ);
	}
	compiler->nested--;
	return node;
}

static DpRuleNode *
compile(DpRuleCompiler *compiler, Node *node, bool negate)
{
	DpRuleNode *levels;

	check_stack_depth();
	while (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	if (IsA(node, NullTest) && IsA(((NullTest *) node)->arg, Var))
		return compile_null(compiler, dp_rule_column(compiler, (Var *) ((NullTest *) node)->arg),
							(((NullTest *) node)->nulltesttype == IS_NULL) != negate);
	levels = dp_rule_compile_levels(compiler, node, negate);
	if (levels != NULL)
		return levels;
	if (IsA(node, BoolExpr))
		return compile_logic(compiler, (BoolExpr *) node, negate);
	if (IsA(node, OpExpr) && is_of_conditions((OpExpr *) node))
		return compile_conditions(compiler, (OpExpr *) node, negate);
	if (IsA(node, OpExpr))
		return compile_comparison(compiler, (OpExpr *) node, negate);
	return node_constant(DP_CAN_BE_ANY);
}

void
dp_rule_of_distance(const DpRulePlace *place, uint32 attribute, uint32 base, DpRule *rule)
{
	DpRuleCompiler compiler = {.place = place, .rule = rule, .work = {EVALUATION_WORK_MAX}};

	*rule = (DpRule){.name = place->domain->attribute[attribute].name};
	rule->root = dp_rule_node(DP_RULE_OR, 2);
	rule->root->child[0] =
		compile_missing(&compiler, &(DpRuleColumn){.attribute = (int) base}, false);
	rule->root->child[1] =
		compile_missing(&compiler, &(DpRuleColumn){.attribute = (int) attribute}, true);
}

/* The bounds with which a range has a part, or has it not. */
static DpRuleNode *
compile_bounds(DpRuleCompiler *compiler, uint32 bounds, DpRangePart part,
			   bool (*is_there)(DpRangePart, const char *), bool there)
{
	const DpAttribute *attribute = &compiler->place->domain->attribute[bounds];
	DpRuleNode *node = dp_rule_node(DP_RULE_LEVELS, 1);
	unsigned char *truth = palloc0(Max(attribute->levels, 1));

	for (uint32 i = 0; i < attribute->levels; i++)
		truth[i] = is_there(part, i < attribute->labels_n ? attribute->labels[i] : NULL) == there
					   ? DP_CAN_BE_TRUE
					   : DP_CAN_BE_FALSE;
	node->levels = truth;
	node->position[0] = dp_rule_position(compiler, bounds);
	return node;
}

void
dp_rule_of_distance_from_end(const DpRulePlace *place, uint32 attribute, uint32 bounds,
							 DpRangePart end, DpRule *rule)
{
	DpRuleCompiler compiler = {.place = place, .rule = rule, .work = {EVALUATION_WORK_MAX}};

	*rule = (DpRule){.name = place->domain->attribute[attribute].name};
	rule->root = dp_rule_node(DP_RULE_OR, 2);
	rule->root->child[0] = compile_bounds(&compiler, bounds, end, dp_range_end_is_there, true);
	rule->root->child[1] =
		compile_missing(&compiler, &(DpRuleColumn){.attribute = (int) attribute}, true);
}

void
dp_rule_of_range_part(const DpRulePlace *place, uint32 attribute, uint32 bounds, DpRangePart part,
					  DpRule *rule)
{
	DpRuleCompiler compiler = {.place = place, .rule = rule, .work = {EVALUATION_WORK_MAX}};
	DpRuleColumn column = {.attribute = (int) attribute};

	*rule = (DpRule){.name = place->domain->attribute[attribute].name};
	rule->root = dp_rule_node(DP_RULE_OR, 2);
	for (int there = 0; there < 2; there++)
	{
		DpRuleNode *both = rule->root->child[there] = dp_rule_node(DP_RULE_AND, 2);

		both->child[0] =
			compile_bounds(&compiler, bounds, part, dp_range_part_is_there, there == 1);
		both->child[1] = compile_missing(&compiler, &column, there == 0);
	}
}

void
dp_rule_compile(const DpCheck *check, const DpRulePlace *place, DpRule *rule)
{
	DpRuleCompiler compiler = {.place = place, .rule = rule, .work = {EVALUATION_WORK_MAX}};
	int level = dp_values_begin();

	*rule = (DpRule){.name = check->name};
	rule->root = check->expression == NULL ? node_constant(DP_CAN_BE_ANY)
										   : compile(&compiler, check->expression, false);
	dp_values_end(level);
	if (rule->n > DP_ZEROS_WIDTH_MAX)
		rule->root = NULL;
}
