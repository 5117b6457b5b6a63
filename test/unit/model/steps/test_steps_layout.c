/*
 * test_steps_layout.c -- layers from widths: how many nodes they have, which of them
 * are sparse, and that a layout is read back from a model as it was, or not at all.
 */
#include "core/model/steps/steps_layout.h"

#include "unit_data.h"

#define ATTRIBUTES 6

static const uint32_t levels[ATTRIBUTES] = {4, 3, 5, 2, 6, 3};

static void
test_widths(void)
{
	const DpLayerWidths none = {0, {0}}, some = {2, {1, 3}}, all = {2, {1, 5}};

	CHECK_I64(dp_layout_layers(&none, 6), 1, "without widths there is one layer");
	CHECK_I64(dp_layout_depth(&none, 6, 0), 6, "of all attributes");
	CHECK_I64(dp_layout_layers(&some, 6), 3, "what widths leave is one more layer");
	CHECK(dp_layout_depth(&some, 6, 0) == 1 && dp_layout_depth(&some, 6, 1) == 4 &&
			  dp_layout_depth(&some, 6, 2) == 6,
		  "depths add up");
	CHECK_I64(dp_layout_layers(&all, 6), 2, "widths that leave nothing have no layer more");
}

/* A random order, widths and bound: dense layers have the product of their levels as nodes, and
 * those that have more than the bound are tails. */
static bool
layout_fits(DpPrng *prng, DpArena *arena, const DpDomain *domain, DpLayout *layout)
{
	uint32_t order[ATTRIBUTES] = {0, 1, 2, 3, 4, 5}, dense = 0, tails = 0, left = ATTRIBUTES;
	uint64_t bound = 1 + dp_prng_below(prng, 3000), cells = 1;
	DpLayerWidths widths = {0, {0}};

	for (uint32_t k = ATTRIBUTES; k > 1; k--)
	{
		uint32_t other = (uint32_t) dp_prng_below(prng, k), a = order[k - 1];

		order[k - 1] = order[other];
		order[other] = a;
	}
	while (left > 0 && dp_prng_below(prng, 4) > 0)
	{
		widths.width[widths.layers] = 1 + (uint32_t) dp_prng_below(prng, left < 3 ? left : 3);
		left -= widths.width[widths.layers++];
	}
	MUST(dp_layout_from_order(layout, domain, &widths, order, bound, arena));
	for (uint32_t l = 0, k = 0; l < dp_layout_layers(&widths, ATTRIBUTES); l++)
	{
		uint32_t depth = dp_layout_depth(&widths, ATTRIBUTES, l);

		for (; k < depth; k++)
			cells *= levels[order[k]];
		if (cells <= bound)
		{
			if (dense >= layout->partition.layers || layout->partition.split[dense].nodes != cells)
				return false;
			dense++;
		}
		else if (tails >= layout->tails || layout->tail_width[tails++] != depth)
			return false;
	}
	return dense == layout->partition.layers && tails == layout->tails &&
		   memcmp(layout->tail_attribute, order, sizeof(order)) == 0;
}

static bool
same_partition(const DpPartition *a, const DpPartition *b)
{
	if (a->layers != b->layers)
		return false;
	for (uint32_t l = 0; l < a->layers; l++)
	{
		const DpSplit *one = &a->split[l], *other = &b->split[l];
		uint64_t groups = (one->own ? one->nodes_above : 1) * one->width;

		if (one->own != other->own || one->width != other->width || one->nodes != other->nodes ||
			memcmp(one->group, other->group, groups * sizeof(*one->group)) != 0 ||
			memcmp(one->first, other->first, (one->nodes_above + 1) * sizeof(*one->first)) != 0)
			return false;
	}
	return true;
}

static bool
comes_back(const DpLayout *layout, const DpDomain *domain, DpArena *arena)
{
	DpModel model = {.domain = *domain};
	DpPartition partition;

	MUST(dp_layout_store(layout, &model, arena));
	MUST(dp_layout_load(&partition, &model, arena));
	return same_partition(&partition, &layout->partition);
}

static void
test_orders(void)
{
	unsigned wrong = 0, lost = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){81, 0, 0});
	for (int round = 0; round < 300; round++)
	{
		DpArena arena = dp_arena_malloc();
		DpDomain domain = unit_domain(&arena, levels, ATTRIBUTES);
		DpLayout layout;

		wrong += !layout_fits(&prng, &arena, &domain, &layout);
		lost += !comes_back(&layout, &domain, &arena);
		dp_arena_malloc_free(&arena);
	}
	CHECK_I64(wrong, 0,
			  "300 layouts: layers have the nodes and tails the attributes that they should");
	CHECK_I64(lost, 0, "they come back from integers");
}

/* Two layers; in the second, each node has another attribute. */
static DpPartition
branched(const DpDomain *domain, DpArena *arena)
{
	const uint32_t first[] = {0}, second[] = {1, 2, 3, 1};
	DpPartition partition;

	MUST(dp_partition_init(&partition, domain, 3, arena));
	MUST(dp_partition_split(&partition, false, 1, first, 1000));
	MUST(dp_partition_split(&partition, true, 1, second, 1000));
	return partition;
}

static void
test_below(void)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, levels, ATTRIBUTES);
	DpPartition partition = branched(&domain, &arena);
	const uint32_t rest[] = {2, 3, 4, 5};
	DpLayout layout;

	MUST(dp_layout_below(&layout, partition, 4 * 3 * 5 * 2 * 6 * 3));
	CHECK(layout.partition.layers == 3 && layout.tails == 0, "below branches comes a layer");
	CHECK_I64(dp_partition_nodes(&layout.partition), 4 * 3 * 5 * 2 * 6 * 3,
			  "with a node for each cell of all attributes");
	CHECK(memcmp(dp_split_group(&layout.partition.split[2], 0), rest, sizeof(rest)) == 0,
		  "over the attributes that the path lacks");
	CHECK(comes_back(&layout, &domain, &arena), "branches come back from integers");
	MUST(dp_layout_below(&layout, branched(&domain, &arena), 4 * 3 * 5 * 2 * 6 * 3 - 1));
	CHECK(layout.partition.layers == 2 && layout.tails == 1 && layout.tail_width[0] == ATTRIBUTES,
		  "or a sparse table, where it would be too large");
	dp_arena_malloc_free(&arena);
}

/* A model comes from outside: whatever its integers are, they are a partition or refused. */
static void
test_corrupt(void)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, levels, ATTRIBUTES);
	DpModel model = {.domain = domain};
	DpLayout layout;
	unsigned taken = 0, cut = 0;
	DpPartition partition;

	MUST(dp_layout_below(&layout, branched(&domain, &arena), 10000));
	MUST(dp_layout_store(&layout, &model, &arena));
	for (uint32_t n = model.structure_n; n-- > 0;)
	{
		DpModel shorter = model;

		shorter.structure_n = n;
		cut += dp_layout_load(&partition, &shorter, &arena) != DP_ERR_CORRUPT;
	}
	CHECK_I64(cut, 0, "integers that end too soon are refused");
	for (uint32_t i = 0; i < 10; i++)
		for (uint32_t value = 0; value < 20; value++)
		{
			uint32_t before = model.structure[i];
			DpModel again = {.domain = domain};
			DpLayout read = {.tails = 0};

			model.structure[i] = value == 19 ? UINT32_MAX : value;
			if (dp_layout_load(&read.partition, &model, &arena) == DP_OK)
			{
				MUST(dp_layout_store(&read, &again, &arena));
				taken += again.structure_n != model.structure_n ||
						 memcmp(again.structure, model.structure,
								model.structure_n * sizeof(uint32_t)) != 0;
			}
			model.structure[i] = before;
		}
	CHECK_I64(taken, 0, "what is read after a change is what stands there, or nothing");
	model.structure[0] = DP_LAYERS_MAX + 2;
	CHECK_STATUS(dp_layout_load(&partition, &model, &arena), DP_ERR_CORRUPT, "too many layers");
	model.structure_n = 0;
	CHECK_STATUS(dp_layout_load(&partition, &model, &arena), DP_ERR_CORRUPT, "no integers");
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	test_widths();
	test_orders();
	test_below();
	test_corrupt();
	return unit_finish();
}
