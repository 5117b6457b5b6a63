/*
 * rule_compiler.h -- what the files share that make a rule of a CHECK: rules.c its logic,
 * rule_forms.c comparisons of numbers, rule_levels.c what levels of categories decide.
 */
#ifndef DPSYN_RULE_COMPILER_H
#define DPSYN_RULE_COMPILER_H

#include "core/domain/rule.h"
#include "pg/domain/rule_place.h"
#include "pg/server/expression_work.h"

#include "nodes/primnodes.h"

typedef struct DpRuleCompiler
{
	const DpRulePlace *place;
	DpRule *rule; /* gets the attributes that it is over, one after the other */
	DpWork work;  /* for evaluating conditions */
	int nested;   /* comparisons of conditions that it is in */
} DpRuleCompiler;

/* The sum of coefficient x attribute, and a constant. */
typedef struct DpRuleForm
{
	bool isnull;      /* a column that is always NULL is in it */
	uint32 roundings; /* each by at most 2^-53 of what is rounded */
	double constant;
	double constant_sum; /* of magnitudes, before they cancel out */
	uint32 n;
	uint32 attribute[DP_ZEROS_WIDTH_MAX];
	double coefficient[DP_ZEROS_WIDTH_MAX];
	double coefficient_sum[DP_ZEROS_WIDTH_MAX]; /* of magnitudes */
} DpRuleForm;

/* The position of an attribute in the rule, which gets it if it does not have it. */
extern uint32 dp_rule_position(DpRuleCompiler *compiler, uint32 attribute);
/* What a column is in the domain. */
extern const DpRuleColumn *dp_rule_column(const DpRuleCompiler *compiler, const Var *var);

/* An empty node with space for n children, or positions. */
extern DpRuleNode *dp_rule_node(DpRuleKind kind, uint32 n);
extern unsigned dp_rule_truth_of(Datum value, bool isnull);
/* The truth of NOT, if negate. */
extern unsigned dp_rule_negated(unsigned truth, bool negate);

/* Whether linear forms of values of this type are compared as numbers. */
extern bool dp_rule_is_ordered(Oid type);
/* Adds factor x an expression to a form. false: it is not linear. */
extern bool dp_rule_form(const DpRuleCompiler *compiler, Node *node, double factor,
						 DpRuleForm *form);
/* How far rounding can have moved a number of the form, of which these magnitudes were added up. */
extern double dp_rule_form_error(const DpRuleForm *form, double magnitudes);

/* The condition as the levels at which it holds. NULL: it cannot be evaluated for levels. */
extern DpRuleNode *dp_rule_compile_levels(DpRuleCompiler *compiler, Node *condition, bool negate);

#endif
