/*
 * parents_plan.h -- planning the parents of each attribute: public, or to be
 * selected with a share of epsilon; and the tables that follow from them.
 */
#ifndef DP_PARENTS_PLAN_H
#define DP_PARENTS_PLAN_H

#include "parents.h"

#define DP_PARENTS_MAX 8
#define DP_STAGE_SELECTION "select parents"

/* Options of methods with such parents. */
#define DP_SPEC_PARENTS                                                                            \
	{                                                                                              \
		.name = "parents", .type = DP_OPTION_INTEGER, .fallback = "1", .minimum = 0,               \
		.maximum = DP_PARENTS_MAX,                                                                 \
		.summary = "Number of columns that each column is conditioned on."                         \
	}
#define DP_SPEC_FEATURES                                                                           \
	{                                                                                              \
		.name = "features", .type = DP_OPTION_NAME_MAP,                                            \
		.summary = "Public parents: for each column the list of columns that it is conditioned "   \
				   "on; nothing is spent on choosing them."                                        \
	}
#define DP_SPEC_ATTRIBUTE_ORDER                                                                    \
	{                                                                                              \
		.name = "attribute_order", .type = DP_OPTION_NAMES,                                        \
		.summary = "Public ring of all columns: each is conditioned on those that precede it; "    \
				   "nothing is spent on choosing them."                                            \
	}
#define DP_SPEC_SELECTION_SHARE                                                                    \
	{                                                                                              \
		.name = "selection_share", .type = DP_OPTION_SHARE, .fallback = "0.1", .minimum = 1000000, \
		.maximum = 900000000,                                                                      \
		.summary = "Share of epsilon for choosing parents, where they are not public."             \
	}

/* What the options say: *parents, one for each attribute, or NULL where parents_n of each must be
 * selected. DP_ERR_ARGUMENT, DP_ERR_UNDEFINED. */
extern DpStatus dp_parents_public(const DpPlan *plan, DpArena *arena, uint32_t parents_n,
								  DpParents **parents, DpError *error) DP_MUST_USE;
/* A stage of parents_n selections for each attribute, with share_nano of the epsilon that remains, and its
 * scan. *each_nano is the cost of one, *spent_nano that of all. DP_ERR_ARGUMENT, DP_ERR_LIMIT. */
extern DpStatus dp_parents_plan_selection(DpPlan *plan, uint32_t parents_n, int64_t share_nano,
										  int64_t *each_nano, int64_t *spent_nano,
										  DpError *error) DP_MUST_USE;
/* The parents of that plan: given, or selected now with each_nano. */
extern DpStatus dp_parents_measure(const DpMeasurement *m, const DpParents *given,
								   uint32_t parents_n, int64_t each_nano, const DpParents **parents,
								   DpError *error) DP_MUST_USE;

/* The attributes of child's table: parents..., child. Returns how many. */
extern uint32_t dp_parents_table(const DpParents *parents, uint32_t child, uint32_t *out);
/* Attributes by size, largest first: what dp_parents_largest_table takes. */
extern DpStatus dp_parents_by_size(const DpDomain *domain, DpArena *arena,
								   uint64_t *by_size) DP_MUST_USE;
/* The attributes of child's table with the parents_n that make it largest. */
extern uint32_t dp_parents_largest_table(const uint64_t *by_size, uint32_t parents_n,
										 uint32_t child, uint32_t *out);

#endif
