/*
 * graphical_prepare.h -- from a stored model to a fit and a sampler, for every method whose tables
 * are those of a graphical model.
 *
 * Such a model first has the table of each attribute, in order, then tables over several
 * attributes. Its structure gives the group of each level (grouping.h). In a table over several
 * attributes only the first level of a group has a value. After the groups, the structure may hold
 * the potentials of the fit, in the order of its tables. They are a function of the tables, and
 * spare fitting again. Zeros and priors of the domain are added to the fit after the attributes'
 * own tables (public.h). Priors among the tables then have potentials too.
 */
#ifndef DP_GRAPHICAL_PREPARE_H
#define DP_GRAPHICAL_PREPARE_H

#include "core/sample/sampler.h"

#define DP_GRAPHICAL_CELLS_MAX (UINT64_C(1) << 29) /* the most of a stored model: 64 GB */

extern const DpSampler dp_graphical_sampler;

#endif
