/*
 * rule_levels.c -- conditions that the levels of categories decide: they are evaluated, level by
 * level.
 */
#include "pg/domain/rule_compiler.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "pg/domain/relation.h"
#include "pg/domain/levels.h"
#include "pg/server/untrusted_code.h"
#include "pg/server/subtransaction.h"
#include "pg/server/values.h"

#define EVALUATIONS_MAX 10000 /* combinations of levels at which a condition is evaluated */

typedef struct Evaluation
{
	const DpRuleCompiler *compiler;
	Node *condition;
	uint32 n;
	uint32 attribute[DP_ZEROS_WIDTH_MAX];
	Datum *value[DP_ZEROS_WIDTH_MAX]; /* of each level, in the column's type */
	uint32 codes[DP_ZEROS_WIDTH_MAX];
	unsigned char *truth;
	bool known;
} Evaluation;

static int
evaluation_find(const Evaluation *evaluation, int attribute)
{
	for (uint32 k = 0; k < evaluation->n; k++)
		if ((int) evaluation->attribute[k] == attribute)
			return (int) k;
	return -1;
}

/* Lists the attributes of a condition; true if its value does not depend on levels alone. */
static bool
gather(Node *node, void *context)
{
	Evaluation *evaluation = context;
	const DpRulePlace *place = evaluation->compiler->place;

	if (node == NULL)
		return false;
	if (IsA(node, SQLValueFunction))
		return true;
	if (IsA(node, Var))
	{
		const DpRuleColumn *column = dp_rule_column(evaluation->compiler, (Var *) node);
		const DpAttribute *attribute;

		if (column->attribute < 0)
			return column->refers > 0; /* to which row is not known */
		attribute = &place->domain->attribute[column->attribute];
		if (column->base != 0 || column->from_above || attribute->open ||
			attribute->kind == DP_BINS ||
			dp_type_runs_code(getBaseType(place->type[column->attribute])))
			return true;
		if (evaluation_find(evaluation, column->attribute) >= 0)
			return false;
		if (evaluation->n == DP_ZEROS_WIDTH_MAX)
			return true;
		evaluation->attribute[evaluation->n++] = (uint32) column->attribute;
		return false;
	}
	return expression_tree_walker(node, gather, context);
}

static Node *
put_level(Node *node, void *context)
{
	const Evaluation *evaluation = context;

	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
	{
		const Var *var = (const Var *) node;
		int k = evaluation_find(evaluation, dp_rule_column(evaluation->compiler, var)->attribute);
		const DpAttribute *attribute;
		Datum value = 0;
		bool isnull = true;

		if (k >= 0)
		{
			attribute = &evaluation->compiler->place->domain->attribute[evaluation->attribute[k]];
			isnull =
				dp_attribute_has_null(attribute) && evaluation->codes[k] == attribute->levels - 1;
			value = isnull ? (Datum) 0 : evaluation->value[k][evaluation->codes[k]];
		}
		return (Node *) makeConst(var->vartype, var->vartypmod, var->varcollid,
								  get_typlen(var->vartype), value, isnull,
								  get_typbyval(var->vartype));
	}
	return expression_tree_mutator(node, put_level, unconstify(Evaluation *, evaluation));
}

/* The values of the levels of an attribute. The type's CHECKs, if it is a domain, do not run. */
static Datum *
level_values(const DpRulePlace *place, uint32 index)
{
	const DpAttribute *attribute = &place->domain->attribute[index];
	uint32 named = attribute->levels - attribute->has_other;
	Datum *value = palloc0(sizeof(Datum) * attribute->levels);
	int32 typmod = place->typmod[index];
	Oid type = getBaseTypeAndTypmod(place->type[index], &typmod);

	for (uint32 i = 0; i < named; i++)
		value[i] = dp_value_in(attribute->labels[i], type, typmod);
	if (attribute->has_other && attribute->other != NULL)
		value[named] = dp_value_in(attribute->other, type, typmod);
	return value;
}

/* In bytes. */
static double
longest_label(const Evaluation *evaluation)
{
	size_t longest = 0;

	for (uint32 k = 0; k < evaluation->n; k++)
		longest =
			Max(longest,
				dp_longest_label(
					&evaluation->compiler->place->domain->attribute[evaluation->attribute[k]]));
	return longest;
}

static bool
next_levels(Evaluation *evaluation)
{
	const DpDomain *domain = evaluation->compiler->place->domain;

	for (uint32 k = evaluation->n; k-- > 0;)
	{
		if (++evaluation->codes[k] < domain->attribute[evaluation->attribute[k]].levels)
			return true;
		evaluation->codes[k] = 0;
	}
	return false;
}

static void
evaluate(void *argument)
{
	Evaluation *evaluation = argument;
	uint64 cell = 0;

	for (uint32 k = 0; k < evaluation->n; k++)
		evaluation->value[k] = level_values(evaluation->compiler->place, evaluation->attribute[k]);
	do
	{
		Node *result;

		CHECK_FOR_INTERRUPTS();
		result = eval_const_expressions(NULL, put_level(evaluation->condition, evaluation));
		if (!IsA(result, Const))
			return;
		evaluation->truth[cell++] = (unsigned char) dp_rule_truth_of(
			((Const *) result)->constvalue, ((Const *) result)->constisnull);
	} while (next_levels(evaluation));
	evaluation->known = true;
}

/* NULL if the condition cannot be evaluated for levels. */
DpRuleNode *
dp_rule_compile_levels(DpRuleCompiler *compiler, Node *condition, bool negate)
{
	Evaluation evaluation = {.compiler = compiler, .condition = condition};
	uint64 cells;
	DpRuleNode *node;

	if (gather(condition, &evaluation))
		return NULL;
	cells = dp_domain_cells(compiler->place->domain, evaluation.attribute, evaluation.n);
	if (cells > EVALUATIONS_MAX || !dp_expression_may_run(condition, longest_label(&evaluation),
														  (double) cells, &compiler->work))
		return NULL;
	evaluation.truth = palloc0(cells);
	if (!dp_run_in_subtransaction(evaluate, &evaluation) || !evaluation.known)
		return NULL;
	node = dp_rule_node(DP_RULE_LEVELS, evaluation.n);
	node->levels = evaluation.truth;
	for (uint64 cell = 0; cell < cells; cell++)
		evaluation.truth[cell] = (unsigned char) dp_rule_negated(evaluation.truth[cell], negate);
	for (uint32 k = 0; k < evaluation.n; k++)
		node->position[k] = dp_rule_position(compiler, evaluation.attribute[k]);
	return node;
}
