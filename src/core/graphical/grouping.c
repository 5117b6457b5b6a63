/*
 * grouping.c -- which levels are rare, and tables with and without them.
 *
 * Source: McKenna, Miklau, Sheldon, "Winning the NIST contest" (2021), section 4.2. Groups are a
 *         function of released numbers. They are post-processing, behind the wall as well as
 *         outside.
 */
#include "core/graphical/grouping.h"

#include <math.h>
#include <string.h>

#define RARE_DEVIATIONS 3.0
/* A list is long that has so many levels. Its rare levels are merged where the standard deviations of
 * all levels add up to so much of the rows, and rare levels have no more than so much of the rows. */
#define LONG_LEVELS 64
#define LONG_NOISE 0.1
#define LONG_RARE 0.5

DpStatus
dp_grouping_init(DpGrouping *grouping, const DpDomain *domain, DpArena *arena)
{
	uint32_t at = 0;

	*grouping = (DpGrouping){.domain = domain};
	for (uint32_t a = 0; a < domain->attributes; a++)
		grouping->structure_n += domain->attribute[a].levels;
	grouping->levels = dp_alloc(arena, domain->attributes, sizeof(*grouping->levels));
	grouping->group = dp_alloc(arena, domain->attributes, sizeof(*grouping->group));
	grouping->structure = dp_alloc(arena, grouping->structure_n, sizeof(*grouping->structure));
	grouping->first = dp_alloc(arena, grouping->structure_n, sizeof(*grouping->first));
	DP_TRY_ALLOC(grouping->levels && grouping->group && grouping->structure && grouping->first);
	for (uint32_t a = 0; a < domain->attributes; at += domain->attribute[a++].levels)
	{
		grouping->group[a] = grouping->structure + at;
		grouping->levels[a] = domain->attribute[a].levels;
		for (uint32_t i = 0; i < grouping->levels[a]; i++)
			grouping->group[a][i] = i;
		memset(grouping->first + at, true, grouping->levels[a]);
	}
	return DP_OK;
}

static bool *
firsts_of(const DpGrouping *grouping, uint32_t attribute)
{
	return grouping->first + (grouping->group[attribute] - grouping->structure);
}

/* Levels of one attribute while they are merged. A group is identified by its first level. */
typedef struct Merging
{
	const uint8_t *boundary; /* range.h; NULL: none */
	uint32_t levels;
	uint8_t top;     /* the largest boundary */
	double *count;   /* [levels] of first levels: noisy count of the group */
	uint32_t *size;  /* [levels] of first levels: levels of the group */
	uint32_t *first; /* [levels] a level before it in its group, or itself */
} Merging;

static uint32_t
first_of(const Merging *merging, uint32_t level)
{
	while (merging->first[level] != level)
		level = merging->first[level];
	return level;
}

/* On how many levels of the hierarchy a level and the one before it are apart. That for the rest,
 * which follows what is listed, is apart from all. */
static uint8_t
boundary_before(const Merging *merging, const DpAttribute *attribute, uint32_t level)
{
	if (merging->boundary == NULL)
		return 0;
	return level < attribute->labels_n ? merging->boundary[level] : merging->top;
}

/* Merges the rare groups of each node: those of a run of levels that are not further apart. The
 * noise of a group of n levels is that of n counts. */
static void
merge_nodes(Merging *merging, const DpAttribute *attribute, uint8_t apart, double threshold)
{
	uint32_t rare = merging->levels;

	for (uint32_t i = 0; i < merging->levels; i++)
	{
		if (i > 0 && boundary_before(merging, attribute, i) > apart)
			rare = merging->levels;
		if (merging->first[i] != i || merging->count[i] >= threshold * sqrt(merging->size[i]))
			continue;
		if (rare == merging->levels)
			rare = i;
		else
		{
			merging->first[i] = rare;
			merging->count[rare] += merging->count[i];
			merging->size[rare] += merging->size[i];
		}
	}
}

/* Groups are numbered by their first levels. */
static void
number_groups(DpGrouping *grouping, uint32_t attribute, const Merging *merging)
{
	uint32_t groups = 0;

	for (uint32_t i = 0; i < merging->levels; i++)
	{
		bool first = merging->first[i] == i;

		firsts_of(grouping, attribute)[i] = first;
		grouping->group[attribute][i] =
			first ? groups : grouping->group[attribute][first_of(merging, i)];
		groups += first;
	}
	grouping->levels[attribute] = groups;
}

/* Merges groups below the threshold, node by node of the hierarchy, from the finest level up; what
 * is left of them becomes one group. A single rare level keeps its own group. */
static DpStatus
merge_below(DpGrouping *grouping, uint32_t a, const int64_t *noisy, double threshold,
			DpArena *arena)
{
	const DpAttribute *attribute = &grouping->domain->attribute[a];
	uint32_t n = attribute->levels;
	Merging merging = {.boundary = attribute->boundary,
					   .levels = n,
					   .count = dp_alloc(arena, n, sizeof(double)),
					   .size = dp_alloc(arena, n, sizeof(uint32_t)),
					   .first = dp_alloc(arena, n, sizeof(uint32_t))};

	DP_TRY_ALLOC(merging.count && merging.size && merging.first);
	for (uint32_t i = 0; i < n; i++)
	{
		merging.count[i] = (double) noisy[i];
		merging.size[i] = 1;
		merging.first[i] = i;
		if (i > 0 && attribute->boundary != NULL && i < attribute->labels_n &&
			attribute->boundary[i] > merging.top)
			merging.top = attribute->boundary[i];
	}
	for (int apart = 0; apart <= merging.top; apart++)
		merge_nodes(&merging, attribute, (uint8_t) apart, threshold);
	number_groups(grouping, a, &merging);
	dp_free(arena, merging.count, n, sizeof(double));
	dp_free(arena, merging.size, n, sizeof(uint32_t));
	dp_free(arena, merging.first, n, sizeof(uint32_t));
	return DP_OK;
}

static bool
is_noisy_list(uint32_t levels, const int64_t *noisy, double stddev)
{
	double rows = 0, rare = 0;

	for (uint32_t i = 0; i < levels; i++)
	{
		rows += (double) noisy[i];
		rare += (double) noisy[i] < RARE_DEVIATIONS * stddev ? (double) noisy[i] : 0;
	}
	return levels >= LONG_LEVELS && levels * stddev >= LONG_NOISE * rows &&
		   rare <= LONG_RARE * rows;
}

static bool
is_merged(const DpAttribute *attribute, DpGroupingOf of, const int64_t *noisy, double stddev)
{
	return of == DP_GROUPING_ALL || attribute->boundary != NULL ||
		   (of == DP_GROUPING_LONG && is_noisy_list(attribute->levels, noisy, stddev));
}

DpStatus
dp_grouping_merge(DpGrouping *grouping, int64_t *const *noisy, const double *stddev_rows,
				  const DpGroupingMerge *merge, DpArena *arena)
{
	uint64_t groups;

	for (double deviations = RARE_DEVIATIONS; deviations < 1e30; deviations *= 2)
	{
		groups = 0;
		for (uint32_t a = 0; a < grouping->domain->attributes; a++)
		{
			if (is_merged(&grouping->domain->attribute[a], merge->of, noisy[a], stddev_rows[a]))
				DP_TRY(merge_below(grouping, a, noisy[a], deviations * stddev_rows[a], arena));
			groups += grouping->levels[a];
		}
		if (groups <= merge->groups_max || merge->of != DP_GROUPING_ALL)
			return DP_OK;
	}
	return DP_ERR_LIMIT;
}

/* The group with the smallest noisy count among those before the last one. */
static DpStatus
smallest_group(const DpGrouping *grouping, uint32_t attribute, const int64_t *noisy,
			   uint32_t *smallest, DpArena *arena)
{
	uint32_t groups = grouping->levels[attribute];
	double *count = dp_alloc(arena, groups, sizeof(*count));

	DP_TRY_ALLOC(count);
	for (uint32_t i = 0; i < grouping->domain->attribute[attribute].levels; i++)
		count[grouping->group[attribute][i]] += (double) noisy[i];
	*smallest = 0;
	for (uint32_t g = 1; g + 1 < groups; g++)
		*smallest = count[g] < count[*smallest] ? g : *smallest;
	dp_free(arena, count, groups, sizeof(*count));
	return DP_OK;
}

DpStatus
dp_grouping_join_other(DpGrouping *grouping, int64_t *const *noisy, const double *stddev_rows,
					   DpArena *arena)
{
	for (uint32_t a = 0; a < grouping->domain->attributes; a++)
	{
		uint32_t other = grouping->domain->attribute[a].levels - 1;

		/* "other" is the last level: if it is the first of its group, it is alone there */
		if (!grouping->domain->attribute[a].has_other || !firsts_of(grouping, a)[other] ||
			grouping->levels[a] < 2 || (double) noisy[a][other] >= RARE_DEVIATIONS * stddev_rows[a])
			continue;
		DP_TRY(smallest_group(grouping, a, noisy[a], &grouping->group[a][other], arena));
		firsts_of(grouping, a)[other] = false;
		grouping->levels[a]--;
	}
	return DP_OK;
}

DpStatus
dp_grouping_parse(DpGrouping *grouping, const DpModel *model, DpArena *arena, DpError *error)
{
	DP_TRY(dp_grouping_init(grouping, &model->domain, arena));
	if (model->structure_n < grouping->structure_n)
		return dp_fail(error, DP_ERR_CORRUPT, "stored model: its levels have no groups");
	memcpy(grouping->structure, model->structure,
		   grouping->structure_n * sizeof(*grouping->structure));
	for (uint32_t a = 0; a < model->domain.attributes; a++)
	{
		uint32_t groups = 0;

		for (uint32_t i = 0; i < model->domain.attribute[a].levels; i++)
		{
			if (grouping->group[a][i] > groups)
				return dp_fail(error, DP_ERR_CORRUPT, "stored model: a group has no first level");
			firsts_of(grouping, a)[i] = grouping->group[a][i] == groups;
			groups += grouping->group[a][i] == groups;
		}
		grouping->levels[a] = groups;
	}
	return DP_OK;
}

uint64_t
dp_grouping_cells(const DpGrouping *grouping, const DpAttributeSet *set)
{
	return dp_set_cells(set, grouping->levels);
}

/* For each cell over levels: the cell over groups that it belongs to, and whether it is the
 * first there and so stands for it. */
typedef struct GroupMap
{
	uint64_t cells;
	uint64_t *cell;
	bool *first;
} GroupMap;

/* Adds one attribute: the map of those before it, times the levels of this one. */
static void
extend_map(GroupMap *map, const uint32_t *group, const bool *firsts, uint32_t levels,
		   uint32_t groups)
{
	for (uint64_t i = map->cells; i-- > 0;)
	{
		uint64_t cell = map->cell[i];
		bool first = map->first[i];

		for (uint32_t l = levels; l-- > 0;)
		{
			map->cell[i * levels + l] = cell * groups + group[l];
			map->first[i * levels + l] = first && firsts[l];
		}
	}
	map->cells *= levels;
}

static DpStatus
map_groups(const DpGrouping *grouping, const DpAttributeSet *set, GroupMap *map, DpArena *arena)
{
	uint64_t cells = dp_domain_cells(grouping->domain, set->attribute, set->n);

	map->cells = 1;
	map->cell = dp_alloc(arena, cells, sizeof(*map->cell));
	map->first = dp_alloc(arena, cells, sizeof(*map->first));
	DP_TRY_ALLOC(map->cell && map->first);
	map->first[0] = true;
	for (uint32_t k = 0; k < set->n; k++)
	{
		uint32_t a = set->attribute[k];

		extend_map(map, grouping->group[a], firsts_of(grouping, a),
				   grouping->domain->attribute[a].levels, grouping->levels[a]);
	}
	return DP_OK;
}

static void
free_map(GroupMap *map, DpArena *arena)
{
	dp_free(arena, map->cell, map->cells, sizeof(*map->cell));
	dp_free(arena, map->first, map->cells, sizeof(*map->first));
}

DpStatus
dp_grouping_collapse(const DpGrouping *grouping, const DpAttributeSet *set, const int64_t *levels,
					 int64_t *groups, DpArena *arena)
{
	GroupMap map;

	DP_TRY(map_groups(grouping, set, &map, arena));
	memset(groups, 0, dp_grouping_cells(grouping, set) * sizeof(*groups));
	for (uint64_t i = 0; i < map.cells; i++)
		groups[map.cell[i]] += levels[i];
	free_map(&map, arena);
	return DP_OK;
}

DpStatus
dp_grouping_firsts(const DpGrouping *grouping, const DpAttributeSet *set, const bool **first,
				   DpArena *arena)
{
	GroupMap map;

	DP_TRY(map_groups(grouping, set, &map, arena));
	dp_free(arena, map.cell, map.cells, sizeof(*map.cell));
	*first = map.first;
	return DP_OK;
}

DpStatus
dp_grouping_expand(const DpGrouping *grouping, const DpAttributeSet *set, const int64_t *groups,
				   int64_t *levels, DpArena *arena)
{
	GroupMap map;

	DP_TRY(map_groups(grouping, set, &map, arena));
	for (uint64_t i = 0; i < map.cells; i++)
		levels[i] = map.first[i] ? groups[map.cell[i]] : 0;
	free_map(&map, arena);
	return DP_OK;
}

DpStatus
dp_grouping_pick(const DpGrouping *grouping, const DpAttributeSet *set, const int64_t *levels,
				 double *groups, DpArena *arena)
{
	GroupMap map;

	DP_TRY(map_groups(grouping, set, &map, arena));
	for (uint64_t i = 0; i < map.cells; i++)
		if (map.first[i])
			groups[map.cell[i]] = (double) levels[i];
	free_map(&map, arena);
	return DP_OK;
}
