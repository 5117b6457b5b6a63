/*
 * table_measures.c -- what dp_evaluate measures of contingency tables.
 */
#include "pg/evaluate/table_measures.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/memutils.h"

#include "core/evaluate/association.h"
#include "core/evaluate/set_counts.h"
#include "pg/server/bridge.h"

#define WAYS_MAX 8

/* The sets of one size. */
typedef struct Sets
{
	uint32 first; /* of all sets */
	uint32 n;
	uint64 all; /* how many there are; n of them were drawn */
} Sets;

typedef struct TableJob
{
	DpEvaluation *evaluation;
	double cost; /* cells that the rows were made from, as a share of the full table's */
	DpAttributeSet *set;
	uint32 sets;
	DpTableDistance *distance; /* [sets]; NaN: it was left out */
	Sets size[WAYS_MAX + 1];
	uint32 joint; /* the set of all columns, which may be the one of the last size */
	/* A set stands in no array of these by its number of columns, but by its number among the sets:
	 * index_of_size gives its place. */
	DpSupport *support;      /* [size[1].n] of single columns */
	DpSupport joint_support; /* of the set of all columns */
	DpPairMeasures *pair;    /* [size[2].n], NULL: pairs are not looked at */
	uint32 left_out;         /* sets whose tables do not fit memory */
	MemoryContext context;   /* of what is kept */
	MemoryContext pass;      /* of a pass */
	DpArena arena;           /* of it */
} TableJob;

/* ---- counting ---- */

static DpArena *
fresh_arena(void *context)
{
	TableJob *job = context;

	MemoryContextReset(job->pass);
	job->arena = dp_arena_for(job->pass);
	return &job->arena;
}

/* Whether a set is in the list of its size. index: its position there. */
static bool
index_of_size(const TableJob *job, uint32 size, uint32 set, uint32 *index)
{
	const Sets *sets = &job->size[size];

	Assert(set < job->sets && sets->first + sets->n <= job->sets);
	if (set < sets->first || set - sets->first >= sets->n)
		return false;
	Assert(job->set[set].n == size);
	*index = set - sets->first;
	return true;
}

static DpStatus
take_tables(void *context, uint32 set, const DpTablePair *pair)
{
	TableJob *job = context;
	uint32 index;

	CHECK_FOR_INTERRUPTS();
	Assert(set < job->sets && pair->n == job->set[set].n);
	job->distance[set] = dp_table_distance(pair);
	if (set == job->joint)
		job->joint_support = dp_table_support(pair);
	if (index_of_size(job, 1, set, &index))
		job->support[index] = dp_table_support(pair);
	if (job->pair != NULL && index_of_size(job, 2, set, &index))
		return dp_pair_measures(pair, &job->pair[index], &job->arena);
	return DP_OK;
}

static const char **
names_of(const TableJob *job, const DpAttributeSet *set)
{
	const DpDomain *domain = &job->evaluation->tables.domain;
	const char **name = palloc(sizeof(char *) * set->n);

	for (uint32 k = 0; k < set->n; k++)
		name[k] = domain->attribute[set->attribute[k]].name;
	return name;
}

static void
leave_out(void *context, uint32 set, uint64 bytes)
{
	TableJob *job = context;
	MemoryContext caller = MemoryContextSwitchTo(job->context);

	job->left_out++;
	job->distance[set] = (DpTableDistance){NAN, NAN};
	dp_measured_put(
		&job->evaluation->sink,
		&(DpMeasured){
			.measure = "skipped",
			.column = names_of(job, &job->set[set]),
			.columns = job->set[set].n,
			.value = NAN,
			.original = NAN,
			.synthetic = NAN,
			.detail = psprintf("their joint table may take " UINT64_FORMAT " kB, and " UINT64_FORMAT
							   " kB are there; raise the option memory",
							   bytes / 1024,
							   dp_two_tables_memory_left(&job->evaluation->tables) / 1024)});
	MemoryContextSwitchTo(caller);
}

static void
count_tables(TableJob *job)
{
	DpTwoTables *tables = &job->evaluation->tables;
	DpCodedRows rows[2] = {dp_two_tables_rows(tables, DP_ORIGINAL),
						   dp_two_tables_rows(tables, DP_SYNTHETIC)};
	DpSetCounting counting = {.domain = &tables->domain,
							  .sets = job->sets,
							  .set = job->set,
							  .rows = rows,
							  .bytes_max = dp_two_tables_memory_left(tables),
							  .tick = &dp_interrupt_tick};
	DpPairTaker taker = {job, take_tables, leave_out};
	DpArena kept = dp_arena_for(job->context);
	DpArenaSource memory = {job, fresh_arena, &kept};
	DpError error = {0};

	if (dp_count_sets(&counting, &taker, &memory, &error) != DP_OK)
		dp_raise(&error);
	if (job->left_out > 0)
		ereport(NOTICE, (errmsg("%u of %u joint tables of columns are not compared", job->left_out,
								job->sets),
						 errdetail("They do not fit memory. The rows \"skipped\" name them."),
						 errhint("Raise the option memory, or name fewer columns.")));
}

/* ---- sets ---- */

static void
list_sets(TableJob *job)
{
	DpEvaluation *evaluation = job->evaluation;
	uint32 attributes = evaluation->tables.domain.attributes;
	DpArena arena = dp_arena_for(job->context);
	DpAttributeSet *of_size[WAYS_MAX + 1];

	for (uint32 k = 1; k <= evaluation->ways; k++)
	{
		/* of single columns and pairs, other measures want all */
		DpSetRequest request = {.attributes = attributes,
								.size = k,
								.sets_max = k <= 2 ? PG_UINT32_MAX : evaluation->sets_max,
								.seed = (uint64) evaluation->seed};

		job->size[k].first = job->sets;
		if (dp_set_list(&request, &of_size[k], &job->size[k].n, &job->size[k].all, &arena) != DP_OK)
			ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
		job->sets += job->size[k].n;
	}
	job->set = palloc(sizeof(DpAttributeSet) * (job->sets + 1));
	for (uint32 k = 1; k <= evaluation->ways; k++)
		memcpy(job->set + job->size[k].first, of_size[k], sizeof(DpAttributeSet) * job->size[k].n);
}

/* The joint table of all columns is that of the last size, if it has so many; else a set of its
 * own, the last one. */
static void
find_joint(TableJob *job)
{
	uint32 attributes = job->evaluation->tables.domain.attributes;
	uint32 *all;

	if (job->evaluation->ways == attributes && job->size[attributes].n == 1)
	{
		job->joint = job->size[attributes].first;
		return;
	}
	all = palloc(sizeof(uint32) * attributes);
	for (uint32 a = 0; a < attributes; a++)
		all[a] = a;
	job->joint = job->sets++;
	job->set[job->joint] = (DpAttributeSet){attributes, all};
}

/* ---- answers ---- */

static void
put(TableJob *job, const char *measure, const DpAttributeSet *set, double value, const char *detail)
{
	dp_measured_put(&job->evaluation->sink,
					&(DpMeasured){.measure = measure,
								  .column = set == NULL ? NULL : names_of(job, set),
								  .columns = set == NULL ? 0 : set->n,
								  .value = value,
								  .original = NAN,
								  .synthetic = NAN,
								  .detail = detail});
}

/* What there is to say of the levels of a set. */
static const char *
set_detail(const TableJob *job, const DpAttributeSet *set)
{
	const DpTwoTables *tables = &job->evaluation->tables;
	StringInfoData detail;

	initStringInfo(&detail);
	for (uint32 k = 0; k < set->n; k++)
	{
		const DpComparedColumn *column = &tables->column[tables->column_of[set->attribute[k]]];

		appendStringInfo(&detail, "%s%s: ", k ? "; " : "", column->name);
		if (column->bins != NULL)
			appendStringInfo(&detail, "%s%s", column->bins,
							 column->nulls[0] + column->nulls[1] > 0 ? " and NULL" : "");
		else
			appendStringInfo(&detail, "%u level%s", column->levels, column->levels == 1 ? "" : "s");
	}
	return detail.data;
}

/* "; 2 of 10 columns are not compared", behind a mean of the others; else "". */
static const char *
but_for(const TableJob *job)
{
	const DpTwoTables *tables = &job->evaluation->tables;
	uint32 out = (uint32) list_length(tables->skipped);

	return out == 0 ? ""
					: psprintf("; %u of %u columns are not compared", out,
							   tables->domain.attributes + out);
}

typedef struct Distance
{
	const char *name; /* followed by the number of columns */
	size_t offset;    /* in DpTableDistance */
} Distance;

static double
distance_of(const TableJob *job, const Distance *distance, uint32 set)
{
	return *(const double *) ((const char *) &job->distance[set] + distance->offset);
}

static void
put_distance(TableJob *job, const Distance *distance, uint32 k)
{
	const Sets *sets = &job->size[k];
	const char *name = psprintf("%s%u", distance->name, k);
	double sum = 0;
	double most = -1;
	uint32 worst = 0;
	uint32 n = 0;

	for (uint32 i = sets->first; i < sets->first + sets->n; i++)
	{
		double value = distance_of(job, distance, i);

		CHECK_FOR_INTERRUPTS();
		if (isnan(value))
			continue;
		n++;
		sum += value;
		if (value > most)
		{
			most = value;
			worst = i;
		}
		if (job->evaluation->each)
			put(job, name, &job->set[i], value, set_detail(job, &job->set[i]));
	}
	if (n == 0)
		return;
	if (!job->evaluation->each)
		put(job, name, &job->set[worst], most,
			psprintf("the largest of %u; %s", n, set_detail(job, &job->set[worst])));
	dp_measured_put(
		&job->evaluation->sink,
		&(DpMeasured){.measure = name,
					  .value = sum / n,
					  .original = NAN,
					  .synthetic = NAN,
					  .detail =
						  psprintf("mean of %u sets%s%s", n,
								   n == sets->all ? "" : psprintf(" of " UINT64_FORMAT, sets->all),
								   but_for(job)),
					  .sets = n});
	if (job->evaluation->cost_cells > 0)
		put(job, psprintf("%s_cost", name), NULL, sum / n * job->cost,
			"the mean times the measure cost");
}

/* The cost of CIPHER's experiments: cells that the rows were made from, beside those of the full
 * table. Distances are multiplied by it, so those of the full table stay as they are. */
static void
put_cost(TableJob *job)
{
	const DpDomain *domain = &job->evaluation->tables.domain;
	double cells = (double) job->evaluation->cost_cells;
	double full = 1;

	if (job->evaluation->cost_cells == 0)
		return;
	for (uint32 a = 0; a < domain->attributes; a++)
		full *= domain->attribute[a].levels;
	job->cost = cells / full;
	dp_measured_put(
		&job->evaluation->sink,
		&(DpMeasured){.measure = "cost",
					  .value = job->cost,
					  .original = full,
					  .synthetic = cells,
					  .detail = psprintf(
						  "%.15g cells, and %.15g are all combinations of levels of the columns "
						  "compared",
						  cells, full)});
}

static void
put_distances(TableJob *job)
{
	static const Distance distance[] = {{"tvd", offsetof(DpTableDistance, total_variation)},
										{"linf", offsetof(DpTableDistance, largest)}};

	for (size_t i = 0; i < lengthof(distance); i++)
		for (uint32 k = 1; k <= job->evaluation->ways; k++)
			put_distance(job, &distance[i], k);
}

/* ---- of single columns, and of all ---- */

static void
put_fidelity(TableJob *job, uint32 a)
{
	const DpTwoTables *tables = &job->evaluation->tables;
	const DpSupport *support = &job->support[a];
	double share[2];

	for (int side = 0; side < 2; side++)
		share[side] = (double) support->shared[side] / (double) tables->rows[side];
	dp_measured_put(&job->evaluation->sink,
					&(DpMeasured){.measure = "fidelity",
								  .column = names_of(job, &job->set[a]),
								  .columns = 1,
								  .value = share[0] * share[1],
								  .original = share[0],
								  .synthetic = share[1],
								  .detail = psprintf("of %llu levels of the original and %llu of "
													 "the synthetic rows",
													 (unsigned long long) support->cells[0],
													 (unsigned long long) support->cells[1])});
}

/* U(X, Z) of a set. Rows that are drawn from the original's own shares have k - 1 of it on average,
 * for as many rows. */
static void
put_utility(TableJob *job, const DpAttributeSet *set, const DpSupport *support)
{
	const DpTwoTables *tables = &job->evaluation->tables;
	double scale = (double) tables->rows[0] / (double) tables->rows[1];

	put(job, "utility", set, support->chi_square,
		psprintf("rows drawn from the original's %llu cells have %.10g on average; %.4g %% of the "
				 "synthetic rows are in none of them",
				 (unsigned long long) support->cells[0], (double) (support->cells[0] - 1) * scale,
				 100 * (1 - (double) support->shared[1] / (double) tables->rows[1])));
}

static void
put_supports(TableJob *job)
{
	uint32 attributes = job->evaluation->tables.domain.attributes;

	for (uint32 a = 0; a < attributes; a++)
		if (!isnan(job->distance[a].total_variation))
			put_fidelity(job, a);
	for (uint32 a = 0; a < attributes; a++)
		if (!isnan(job->distance[a].total_variation))
			put_utility(job, &job->set[a], &job->support[a]);
	if (attributes > 1 && !isnan(job->distance[job->joint].total_variation))
		put_utility(job, &job->set[job->joint], &job->joint_support);
}

static void
put_marginal_distance(TableJob *job)
{
	double sum = 0;
	uint32 n = 0;

	for (uint32 i = 0; i < job->size[1].n; i++)
	{
		if (isnan(job->distance[i].total_variation))
			continue;
		sum += 2 * job->distance[i].total_variation;
		n++;
	}
	if (n > 0)
		put(job, "marginal_distance", NULL, sum / n,
			psprintf("mean of %u columns%s", n, but_for(job)));
}

/* ---- of pairs ---- */

/* Whether the tables of a pair were counted, and it is one of this attribute. other: the place of
 * the given attribute in the pair. */
static bool
pair_has(const TableJob *job, uint32 pair, uint32 attribute, uint32 *place)
{
	const DpAttributeSet *set = &job->set[job->size[2].first + pair];

	*place = set->attribute[0] == attribute ? 0 : 1;
	return set->attribute[*place] == attribute &&
		   !isnan(job->distance[job->size[2].first + pair].total_variation);
}

static void
put_conditional_distance(TableJob *job)
{
	uint32 attributes = job->evaluation->tables.domain.attributes;
	double all = 0;
	uint32 columns = 0;

	for (uint32 a = 0; a < attributes; a++)
	{
		double sum = 0;
		uint32 n = 0;
		uint32 place;

		CHECK_FOR_INTERRUPTS();
		for (uint32 pair = 0; pair < job->size[2].n; pair++)
		{
			if (!pair_has(job, pair, a, &place))
				continue;
			sum += job->pair[pair].given[place];
			n++;
		}
		if (n == 0)
			continue;
		put(job, "conditional_distance", &job->set[a], sum / n,
			psprintf("of %u columns given this one, on average", n));
		all += sum / n;
		columns++;
	}
	if (columns > 0)
		put(job, "conditional_distance", NULL, all / columns,
			psprintf("mean of %u columns%s", columns, but_for(job)));
}

static void
put_pair(TableJob *job, const char *measure, uint32 pair, const double side[2], double value)
{
	const DpAttributeSet *set = &job->set[job->size[2].first + pair];

	dp_measured_put(&job->evaluation->sink, &(DpMeasured){.measure = measure,
														  .column = names_of(job, set),
														  .columns = 2,
														  .value = value,
														  .original = side[0],
														  .synthetic = side[1]});
}

static void
put_cramers_v(TableJob *job)
{
	double sum = 0;
	uint32 n = 0;

	for (uint32 pair = 0; pair < job->size[2].n; pair++)
	{
		const DpAssociation *of = job->pair[pair].association;
		double apart = of[1].cramers_v - of[0].cramers_v;

		CHECK_FOR_INTERRUPTS();
		if (isnan(job->distance[job->size[2].first + pair].total_variation))
			continue;
		put_pair(job, "cramers_v", pair, (double[]){of[0].cramers_v, of[1].cramers_v}, apart);
		if (isnan(apart))
			continue;
		sum += fabs(apart);
		n++;
	}
	if (n > 0)
		put(job, "cramers_v", NULL, sum / n,
			psprintf("mean absolute difference of %u pairs%s", n, but_for(job)));
}

/* How often both tables say the same of whether two columns hang together. */
static void
put_chi_square(TableJob *job)
{
	double level = job->evaluation->level;
	uint32 found[2] = {0, 0};
	uint32 both = 0;
	uint32 agree = 0;
	uint32 n = 0;

	for (uint32 pair = 0; pair < job->size[2].n; pair++)
	{
		const DpAssociation *of = job->pair[pair].association;
		bool first = of[0].p < level;
		bool second = of[1].p < level;

		if (isnan(job->distance[job->size[2].first + pair].total_variation))
			continue;
		n++;
		found[0] += first;
		found[1] += second;
		both += first && second;
		agree += first == second;
		if (job->evaluation->each)
			put_pair(job, "chi_square", pair, (double[]){of[0].p, of[1].p}, first == second);
	}
	if (n > 0)
		dp_measured_put(
			&job->evaluation->sink,
			&(DpMeasured){.measure = "chi_square",
						  .value = (double) agree / n,
						  .original = (double) found[0] / n,
						  .synthetic = (double) found[1] / n,
						  .detail = psprintf("%u of %u pairs: dependent at level %g in both tables "
											 "%u, in the original alone %u, in the synthetic rows "
											 "alone %u, in none %u",
											 agree, n, level, both, found[0] - both,
											 found[1] - both, agree - both)});
}

void
dp_evaluate_tables(DpEvaluation *evaluation)
{
	TableJob *job = palloc0(sizeof(TableJob));

	if (evaluation->tables.domain.attributes == 0)
		return;
	evaluation->ways = Min(evaluation->ways, evaluation->tables.domain.attributes);
	job->evaluation = evaluation;
	job->context = CurrentMemoryContext;
	job->pass = AllocSetContextCreate(CurrentMemoryContext, "dpsyn tables", ALLOCSET_DEFAULT_SIZES);
	list_sets(job);
	find_joint(job);
	job->distance = palloc0(sizeof(DpTableDistance) * job->sets);
	job->support = palloc0(sizeof(DpSupport) * job->size[1].n);
	if (evaluation->ways >= 2)
		job->pair = palloc0(sizeof(DpPairMeasures) * job->size[2].n);
	count_tables(job);
	put_cost(job);
	put_distances(job);
	put_supports(job);
	put_marginal_distance(job);
	if (job->pair != NULL)
	{
		put_conditional_distance(job);
		put_cramers_v(job);
		put_chi_square(job);
	}
	MemoryContextDelete(job->pass);
}
