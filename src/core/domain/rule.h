/*
 * rule.h -- rules over several attributes, such as discharged >= admitted, and which combinations
 * of levels can keep them.
 *
 * A rule is public: it is a CHECK of the table. What it says of a combination of levels follows
 * from the levels and their edges alone, by arithmetic on intervals and the logic of NULL. Where
 * every choice of values inside the levels breaks the rule, the combination is a structural zero
 * (zeros.h). Where only some do, the values are drawn together when rows are drawn.
 *
 * A CHECK is kept where it is TRUE or NULL, and broken where it is FALSE.
 *
 * Every bound is rounded outward, so that a combination is called impossible only if it is.
 */
#ifndef DP_RULE_H
#define DP_RULE_H

#include "core/domain/zeros.h"

/* Combinations of levels that are looked at for one rule. Where there are more, no zeros are
 * made of it. */
#define DP_RULE_COMBINATIONS_MAX 1000000

/* What a condition can be, for some choice of the values: a set of these. */
#define DP_CAN_BE_TRUE 1U
#define DP_CAN_BE_FALSE 2U
#define DP_CAN_BE_NULL 4U
#define DP_CAN_BE_ANY 7U

/* The numbers low..high, both included. There are none where low > high. */
typedef struct DpInterval
{
	double low;
	double high;
} DpInterval;

/* The numbers that the levels of an attribute hold. */
typedef struct DpRuleAxis
{
	const DpInterval *level; /* [levels]; NULL: its values are no numbers */
	uint32_t missing;        /* the level that is NULL; UINT32_MAX: there is none */
} DpRuleAxis;

typedef enum DpRuleKind
{
	DP_RULE_AND,
	DP_RULE_OR,
	DP_RULE_CONSTANT, /* the same for all values, or unknown: DP_CAN_BE_ANY */
	DP_RULE_LEVELS,   /* the levels alone decide */
	DP_RULE_LINEAR    /* a linear form of numbers, compared with 0 */
} DpRuleKind;

typedef enum DpComparison
{
	DP_BELOW,     /* < 0 */
	DP_AT_MOST,   /* <= 0 */
	DP_EQUAL,     /* = 0 */
	DP_DIFFERENT, /* <> 0 */
	DP_AT_LEAST,  /* >= 0 */
	DP_ABOVE      /* > 0 */
} DpComparison;

/* Positions are those of the rule's attributes. */
typedef struct DpRuleNode
{
	DpRuleKind kind;
	uint32_t n;                  /* children of AND and OR; positions of LEVELS and LINEAR */
	struct DpRuleNode **child;   /* [n] */
	unsigned truth;              /* CONSTANT */
	uint32_t *position;          /* [n] distinct */
	const unsigned char *levels; /* LEVELS: [product of levels] truths, the last position fastest */
	double *coefficient;         /* LINEAR: [n]; 0: it matters only whether that one is NULL */
	double *error; /* LINEAR: [n] how far at most each coefficient is off; NULL: none is */
	double constant;
	double constant_error;
	DpComparison comparison;
} DpRuleNode;

typedef struct DpRule
{
	const char *name;
	uint32_t n;                             /* 1..DP_ZEROS_WIDTH_MAX */
	uint32_t attribute[DP_ZEROS_WIDTH_MAX]; /* distinct */
	DpRuleNode *root;
} DpRule;

typedef struct DpRules
{
	uint32_t n;
	const DpRule *rule;
	const DpRuleAxis *axis; /* [attributes of the domain] */
} DpRules;

/* The comparison that is true where this one is false. */
extern DpComparison dp_comparison_opposite(DpComparison comparison);

/* The possible truth values of a rule, given the codes of its attributes: codes[rule->n]. */
extern unsigned dp_rule_truth(const DpRule *rule, const DpDomain *domain, const DpRuleAxis *axis,
							  const uint32_t *codes);
/*
 * Shrinks box, an interval for each of the rule's attributes: the result contains every point of
 * the old box for which the rule is not FALSE. false: no such point exists. Only linear rules
 * shrink a box.
 */
extern bool dp_rule_tighten(const DpRule *rule, const DpDomain *domain, const DpRuleAxis *axis,
							const uint32_t *codes, DpInterval *box);
/*
 * Adds to the zeros of the domain every combination of levels that breaks a rule whatever the
 * values are. A rule of too many combinations is left out, and so is one whose zeros would be more
 * than DP_ZEROS_TUPLES_MAX with the others. Adding them again changes nothing. A rule that no
 * combination keeps is DP_ERR_ARGUMENT if strict, or else left out.
 */
extern DpStatus dp_rules_add_zeros(const DpRules *rules, DpDomain *domain, bool strict,
								   DpArena *arena, DpError *error) DP_MUST_USE;

#endif
