/*
 * parents_plan.h -- planning the parents of each attribute: public, or to be
 * selected with a share of epsilon; and the tables that follow from them.
 */
#ifndef DP_PARENTS_PLAN_H
#define DP_PARENTS_PLAN_H

#include "core/select/parents.h"

#define DP_STAGE_SELECTION "select parents"

/* The options of methods that have such parents. */
#define DP_SPEC_PARENTS                                                                            \
	{                                                                                              \
		.name = "parents", .type = DP_OPTION_INTEGER, .fallback = "1", .minimum = 0,               \
		.maximum = DP_ATTRIBUTES_MAX - 1,                                                          \
		.summary = "Number of columns that each column is conditioned on."                         \
	}
#define DP_SPEC_FEATURES                                                                           \
	{                                                                                              \
		.name = "network", .type = DP_OPTION_NAME_MAP,                                             \
		.summary = "Public parents: for each column the list of columns that it is conditioned "   \
				   "on; nothing is spent on choosing them."                                        \
	}
#define DP_SPEC_ATTRIBUTE_ORDER                                                                    \
	{                                                                                              \
		.name = "column_order", .type = DP_OPTION_NAMES,                                           \
		.summary = "Public ring of all columns: each is conditioned on those that precede it; "    \
				   "nothing is spent on choosing them."                                            \
	}
#define DP_SPEC_SELECTION_SHARE                                                                    \
	DP_SPEC_SHARE("selection_share", "0.1",                                                        \
				  "Share of epsilon for choosing parents, where they are not public.")

/* Reads what the options say. *parents has one entry for each attribute, or is NULL where
 * parents_n of each must be selected. DP_ERR_ARGUMENT, DP_ERR_UNDEFINED. */
extern DpStatus dp_parents_public(const DpPlan *plan, uint32_t parents_n, DpParents **parents,
								  DpArena *arena, DpError *error) DP_MUST_USE;
/* Where parents are to be selected, adds a stage of these selections, with share_nano of the
 * epsilon that remains, and its scan. It sets their epsilon_each_nano; *spent_nano is the
 * epsilon of all of them. DP_ERR_ARGUMENT, DP_ERR_LIMIT. */
extern DpStatus dp_parents_plan_selection(DpPlan *plan, DpParentsPlan *parents, int64_t share_nano,
										  int64_t *spent_nano, DpError *error) DP_MUST_USE;
/* The parents of that plan. They are given, or are selected now. */
extern DpStatus dp_parents_measure(const DpMeasurement *m, const DpParentsPlan *plan,
								   const DpParents **parents, DpError *error) DP_MUST_USE;

/* Lists the attributes of child's table: its parents, then child. Returns how many they are. */
extern uint32_t dp_parents_table(const DpParents *parents, uint32_t child, uint32_t *out);
/* Sorts attributes by size, largest first, as dp_parents_largest_table takes them. */
extern DpStatus dp_parents_by_size(const DpDomain *domain, uint64_t *by_size,
								   DpArena *arena) DP_MUST_USE;
/* Lists the attributes of child's table with the parents_n that make it largest. */
extern uint32_t dp_parents_largest_table(const uint64_t *by_size, uint32_t parents_n,
										 uint32_t child, uint32_t *out);

#endif
