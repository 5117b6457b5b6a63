/*
 * test_random_trees.c -- models of tables that belong together, whatever their noisy tables hold: what
 * one tells the other leaves both valid, and a model that is stored and read again draws the same.
 */
#include "core/base/prng.h"
#include "core/domain/domain.h"
#include "core/methods/registry.h"
#include "core/model/model.h"
#include "core/sample/draw.h"
#include "core/sample/model_query.h"
#include "core/sample/parent_priors.h"
#include "core/graphical/noisy_measurement.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

#define ROUNDS 150
#define OWN_MAX 4 /* attributes of the parent, beside the number of children */
#define DRAWN 200

typedef struct Tree
{
	DpModel parent, child;
	uint32_t known[OWN_MAX + 1];
	DpParentPriors priors;
} Tree;

static const char *
label(DpArena *arena, uint32_t i)
{
	char words[16];

	snprintf(words, sizeof(words), "%u", i);
	return dp_strdup(arena, words);
}

static void
add_attribute(DpDomain *domain, const char *name, uint32_t levels, DpArena *arena)
{
	DpAttribute *attribute = &domain->attribute[domain->attributes++];

	*attribute = (DpAttribute){.name = name, .type = "text", .labels_n = levels};
	attribute->labels = dp_alloc(arena, levels, sizeof(*attribute->labels));
	for (uint32_t i = 0; i < levels; i++)
		attribute->labels[i] = label(arena, i);
	dp_attribute_count_levels(attribute);
}

/* Counts of a few rows, none, less than none, or so many that others are nothing beside them. */
static int64_t
noisy_count(DpPrng *prng)
{
	switch (dp_prng_below(prng, 6))
	{
		case 0:
			return 0;
		case 1:
			return -(int64_t) dp_prng_below(prng, 1000000);
		case 2:
			return (int64_t) dp_prng_below(prng, 1000000000000);
		default:
			return (int64_t) dp_prng_below(prng, 40) - 10;
	}
}

/* A table over these attributes, which ascend. */
static void
add_table(DpModel *model, const uint32_t *attribute, uint32_t n, DpPrng *prng, DpArena *arena)
{
	DpTable *table = &model->table[model->tables++];

	*table = (DpTable){.n = n,
					   .attribute = dp_memdup(arena, attribute, n * sizeof(*attribute)),
					   .storage = DP_DENSE,
					   .cells = dp_domain_cells(&model->domain, attribute, n),
					   .noise = DP_NOISE_GAUSSIAN,
					   .cost = {.rho_pico = 1 + (int64_t) dp_prng_below(prng, 1000000000000)},
					   .sensitivity_l1 = 1,
					   .sensitivity_l2_squared = 1};
	table->value = dp_alloc(arena, table->cells, sizeof(*table->value));
	for (uint64_t i = 0; i < table->cells; i++)
		table->value[i] = noisy_count(prng);
}

/* Each attribute has a table of its own, is in one with the one behind it, and some in another. */
static void
add_tables(DpModel *model, DpPrng *prng, DpArena *arena)
{
	static DpParameter cells = {DP_PARAMETER_CELLS, 100000};
	uint32_t n = model->domain.attributes;

	model->parameters = 1;
	model->parameter = &cells;
	model->table = dp_alloc(arena, 3 * n, sizeof(*model->table));
	for (uint32_t a = 0; a < n; a++)
		add_table(model, &a, 1, prng, arena);
	for (uint32_t a = 0; a + 1 < n; a++)
	{
		const uint32_t next[] = {a, a + 1}, far[] = {a, a + 2};

		add_table(model, next, 2, prng, arena);
		if (a + 2 < n && dp_prng_below(prng, 3) == 0)
			add_table(model, far, 2, prng, arena);
	}
}

/* Each level is a group of its own. */
static void
add_groups(DpModel *model, DpArena *arena)
{
	for (uint32_t a = 0; a < model->domain.attributes; a++)
		model->structure_n += model->domain.attribute[a].levels;
	model->structure = dp_alloc(arena, model->structure_n, sizeof(*model->structure));
	for (uint32_t a = 0, at = 0; a < model->domain.attributes; a++)
		for (uint32_t i = 0; i < model->domain.attribute[a].levels; i++)
			model->structure[at++] = i;
}

static void
make_tree(Tree *tree, DpPrng *prng, DpArena *arena)
{
	static const char *const names[] = {"x0", "x1", "x2", "x3"};
	static const char *const above[] = {"p.x0", "p.x1", "p.x2", "p.x3"};
	uint32_t own = 1 + (uint32_t) dp_prng_below(prng, OWN_MAX);
	uint32_t most = 2 + (uint32_t) dp_prng_below(prng, 5);

	*tree = (Tree){.parent = {.method = "mst", .unit = {DP_ADD_REMOVE, 1}},
				   .child = {.method = "mst", .unit = {DP_ADD_REMOVE, 3}}};
	tree->parent.rows = (int64_t) dp_prng_below(prng, 3000);
	tree->child.rows = (int64_t) dp_prng_below(prng, 9000);
	tree->parent.domain.attribute = dp_alloc(arena, own + 1, sizeof(DpAttribute));
	tree->child.domain.attribute = dp_alloc(arena, own + 3, sizeof(DpAttribute));
	add_attribute(&tree->child.domain, "ward", 2 + (uint32_t) dp_prng_below(prng, 4), arena);
	for (uint32_t a = 0; a < own; a++)
	{
		uint32_t levels = 1 + (uint32_t) dp_prng_below(prng, 6);

		add_attribute(&tree->parent.domain, names[a], levels, arena);
		tree->known[a] = tree->child.domain.attributes;
		add_attribute(&tree->child.domain, above[a], levels, arena);
	}
	tree->known[own] = UINT32_MAX;
	add_attribute(&tree->parent.domain, "c.count", most + 1, arena);
	add_attribute(&tree->child.domain, "c.siblings", most, arena);
	add_tables(&tree->parent, prng, arena);
	add_tables(&tree->child, prng, arena);
	add_groups(&tree->parent, arena);
	add_groups(&tree->child, arena);
	tree->priors = (DpParentPriors){.parent = &tree->parent,
									.sampler = dp_method_find("mst")->sampler,
									.known = tree->known,
									.count = own,
									.siblings = own + 1,
									.full = 1 + (uint32_t) dp_prng_below(prng, most),
									.scratch = arena};
}

static void
draw(const DpModel *model, uint32_t *codes, DpArena *arena)
{
	DpDrawer drawer;
	DpError error = {0};

	MUST(dp_drawer_prepare(dp_method_find("mst")->sampler, model, &drawer, NULL, arena, &error));
	MUST(dp_draw_rows(&drawer, &(DpRowBlock){{7, 1, 0}, DRAWN}, codes, NULL, &error));
}

/* Stores a model, reads it, and draws from both. */
static bool
draws_again(const DpModel *model, DpArena *arena)
{
	uint32_t *before = dp_alloc(arena, DRAWN * model->domain.attributes, sizeof(*before));
	uint32_t *after = dp_alloc(arena, DRAWN * model->domain.attributes, sizeof(*after));
	unsigned char *bytes;
	size_t length;
	DpError error = {0};
	DpModel back;

	draw(model, before, arena);
	if (dp_model_serialise(model, &bytes, &length, arena, &error) != DP_OK ||
		dp_model_parse(bytes, length, &back, arena, &error) != DP_OK)
	{
		unit_note("%s: %s", error.message, error.detail);
		return false;
	}
	draw(&back, after, arena);
	return memcmp(before, after, DRAWN * model->domain.attributes * sizeof(*before)) == 0;
}

int
main(void)
{
	unsigned valid = 0, again = 0, told = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){33, 0, 0});
	for (int round = 0; round < ROUNDS; round++)
	{
		DpArena arena = dp_arena_malloc();
		DpError error = {0};
		Tree tree;

		make_tree(&tree, &prng, &arena);
		MUST(dp_parent_priors_add(&tree.priors, &tree.child.domain, NULL, &arena, &error));
		MUST(dp_recalibrate(&tree.priors, &tree.child, 1, &tree.parent, NULL, &arena, &error));
		told += tree.child.domain.priors > 0 && tree.parent.domain.priors > 0;
		if (dp_model_check(&tree.parent, &error) == DP_OK &&
			dp_model_check(&tree.child, &error) == DP_OK)
			valid++;
		else
			unit_note("%s: %s", error.message, error.detail);
		again += draws_again(&tree.parent, &arena) && draws_again(&tree.child, &arena);
		dp_arena_malloc_free(&arena);
	}
	CHECK(told > ROUNDS / 2, "%u of %d random trees tell each other something", told, ROUNDS);
	CHECK_I64(valid, ROUNDS, "and their models are valid afterwards");
	CHECK_I64(again, ROUNDS, "stored and read again they draw the same rows");
	return unit_finish();
}
