/*
 * graphical_options.h -- options that the methods with graphical models share.
 */
#ifndef DP_GRAPHICAL_OPTIONS_H
#define DP_GRAPHICAL_OPTIONS_H

#include "core/domain/options.h"

#define DP_OPEN_LEVELS_ESTIMATE 1000 /* levels that a plan assumes for an open attribute */

#define DP_SPEC_MODEL_MEMORY                                                                       \
	{                                                                                              \
		.name = "max_model_memory", .type = DP_OPTION_MEMORY, .fallback = "160", .minimum = 2,     \
		.maximum = 65536,                                                                          \
		.summary = "Memory that fitting the model may take, such as 800MB; a plain number is "     \
				   "megabytes; by default the setting "                                            \
				   "dpsyn.model_memory."                                                           \
	}
/* How much time a release may take. It decides what other options are where they are not given. */
#define DP_OPTION_EFFORT "effort"
typedef enum DpEffort
{
	DP_EFFORT_FAST,
	DP_EFFORT_NORMAL,
	DP_EFFORT_BEST
} DpEffort;
#define DP_SPEC_EFFORT                                                                             \
	{                                                                                              \
		.name = DP_OPTION_EFFORT, .type = DP_OPTION_CHOICE, .fallback = "normal",                  \
		.choices = "fast|normal|best",                                                             \
		.summary = "How much time the release may take, or so many seconds: decides "              \
				   "max_model_memory where that is not given."                                     \
	}
#define DP_SPEC_GENERATION                                                                         \
	{                                                                                              \
		.name = "generation", .type = DP_OPTION_CHOICE, .fallback = "systematic",                  \
		.choices = "systematic|independent",                                                       \
		.summary = "Whether rows get as even a share of each cell as they can, or each is drawn "  \
				   "for itself."                                                                   \
	}
/*
 * A column that is to be predicted; none is, where its attribute is DP_PREDICT_NONE. A set without
 * it weighs so many times less.
 */
#define DP_OPTION_PREDICT "predict"
#define DP_PREDICT_NONE UINT32_MAX
#define DP_PREDICT_OTHERS 4
#define DP_SPEC_PREDICT                                                                            \
	{                                                                                              \
		.name = DP_OPTION_PREDICT, .type = DP_OPTION_NAME,                                         \
		.summary = "A column that is to be predicted from the others: sets with it weigh more."    \
	}
#define DP_OPTION_GROUP_RARE "group_rare"
#define DP_SPEC_GROUP_RARE(value)                                                                  \
	{                                                                                              \
		.name = DP_OPTION_GROUP_RARE, .type = DP_OPTION_BOOLEAN, .fallback = value,                \
		.summary = "Whether levels with less than three standard deviations of noise are one "     \
				   "level for all tables of several columns; by default, where there is none, in " \
				   "columns of 64 levels and more that have much noise."                           \
	}

#endif
