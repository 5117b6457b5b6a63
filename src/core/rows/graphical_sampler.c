/*
 * graphical_sampler.c -- rows from a fitted graphical model, clique by clique.
 *
 * The attributes of a clique that its separator lacks are drawn together, given the separator: at
 * the root first, then at its children. An independent row draws a cell by the cumulative shares
 * of its slice, which is the cells with its codes in the separator.
 *
 * Systematic rows come in tiles. For the n rows of a tile that agree on the separator of a clique
 * there is a deck of n cells: the i-th is that in which (i + shift)/n falls, where shift is uniform.
 * So each cell is for its expected number of rows, rounded up or down, and not for a binomial number.
 * Each row takes a random card of what is left of its deck, so that each row by itself has the
 * distribution of the model, and attributes depend on each other only through the separator. Which
 * row is which is never looked at: rows could change their places without a difference, so that they
 * are in random order as they stand.
 *
 * A tile is drawn when its first block is asked for, from its own stream, and kept until another
 * tile is asked for. What a row is depends on the seed, the set and the number of rows drawn in
 * all, and not on how rows are fetched.
 */
#include "core/rows/graphical_sampler.h"

#include <string.h>

#define TILE_CODES (UINT64_C(1) << 22) /* codes of all attributes in a tile */
#define TILE_BLOCKS_MAX 256
#define NUMBERS 256                              /* random ones, that are drawn at a time */
#define TURNED_ROWS 32                           /* that stay in the cache while they are written */
#define TILE_STREAM UINT64_C(0x5851f42d4c957f2d) /* keeps tiles apart from blocks */

/* What is drawn at one clique. Codes of rows are stored by columns: [attribute x stride + row]. */
typedef struct Node
{
	uint32_t known; /* attributes of the separator */
	uint32_t drawn; /* the others */
	const uint32_t *known_attribute, *drawn_attribute;
	uint64_t slices, cells; /* cells of the separator; cells in each slice */
	double *cumulative;     /* [slices x cells], the last of each slice 1 */
} Node;

struct DpGraphicalSampler
{
	uint32_t attributes;
	const uint32_t *levels; /* of groups */
	uint32_t nodes;
	Node *node;
	const DpLevelSplit *const *split;
	uint64_t rows;
	bool systematic;
	/* the tile */
	uint64_t tile_blocks;
	bool tile_is_there;
	DpStream tile; /* its block is the number of the tile */
	uint64_t tile_rows;
	uint32_t *code;  /* [attributes x tile rows] of groups, and when the tile is drawn of levels */
	uint32_t *slice; /* [tile rows] */
	uint32_t *deck;  /* [tile rows] those of all slices, one after the other */
	uint32_t *start; /* [most slices] of a slice's deck */
	uint32_t *left;  /* [most slices] cards of it */
};

/* ---- compiling ---- */

static DpStatus
split_sets(Node *node, const DpClique *clique, DpArena *arena)
{
	uint32_t *drawn = dp_alloc(arena, clique->set.n, sizeof(*drawn));
	uint32_t k = 0;

	node->known = clique->separator.n;
	node->known_attribute =
		dp_memdup(arena, clique->separator.attribute, node->known * sizeof(*drawn));
	node->drawn_attribute = drawn;
	if (drawn == NULL || node->known_attribute == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < clique->set.n; i++)
	{
		if (k < node->known && clique->set.attribute[i] == node->known_attribute[k])
			k++;
		else
			drawn[node->drawn++] = clique->set.attribute[i];
	}
	return DP_OK;
}

static uint32_t
place_of(const uint32_t *attribute, uint32_t n, uint32_t wanted)
{
	for (uint32_t k = 0; k < n; k++)
		if (attribute[k] == wanted)
			return k;
	return n;
}

/* Finds the step in cumulative of each attribute of the clique. Cells lie slice by slice. */
static void
find_steps(const Node *node, const DpClique *clique, const uint32_t *levels, uint64_t *step)
{
	uint64_t at = 1;

	for (uint32_t k = node->drawn; k-- > 0; at *= levels[node->drawn_attribute[k]])
		step[place_of(clique->set.attribute, clique->set.n, node->drawn_attribute[k])] = at;
	for (uint32_t k = node->known; k-- > 0; at *= levels[node->known_attribute[k]])
		step[place_of(clique->set.attribute, clique->set.n, node->known_attribute[k])] = at;
}

/* Copies the cells of the clique, in ascending order, to their slices. */
static DpStatus
fill_slices(Node *node, const DpClique *clique, const uint32_t *levels, const double *cell,
			DpArena *arena)
{
	uint64_t *step = dp_alloc(arena, clique->set.n, sizeof(*step));
	uint32_t *digit = dp_alloc(arena, clique->set.n, sizeof(*digit));
	uint64_t at = 0;

	if (step == NULL || digit == NULL)
		return DP_ERR_MEMORY;
	find_steps(node, clique, levels, step);
	for (uint64_t i = 0; i < clique->cells; i++)
	{
		node->cumulative[at] = cell[i] > 0 ? cell[i] : 0;
		for (uint32_t k = clique->set.n; k-- > 0;)
		{
			at += step[k];
			if (++digit[k] < levels[clique->set.attribute[k]])
				break;
			at -= step[k] * digit[k];
			digit[k] = 0;
		}
	}
	dp_free(arena, step, clique->set.n, sizeof(*step));
	dp_free(arena, digit, clique->set.n, sizeof(*digit));
	return DP_OK;
}

/* Turns weights into cumulative shares. A slice without any weight becomes uniform. What stands
 * behind the last cell with a weight is never drawn, however the sums are rounded. */
static void
accumulate(double *weight, uint64_t n)
{
	double sum = 0, so_far = 0;
	uint64_t last = n - 1;
	bool any;

	for (uint64_t i = 0; i < n; i++)
		sum += weight[i];
	any = sum > 0 && sum < 1e300;
	while (any && last > 0 && weight[last] <= 0)
		last--;
	for (uint64_t i = 0; i < n; i++)
	{
		so_far += any ? weight[i] / sum : 1.0 / (double) n;
		weight[i] = i >= last || so_far > 1 ? 1 : so_far;
	}
}

static DpStatus
compile_node(Node *node, const DpGraphical *model, uint32_t number, DpArena *arena)
{
	const DpClique *clique = &model->tree.clique[number];

	DP_TRY(split_sets(node, clique, arena));
	node->slices = clique->separator_cells;
	node->cells = clique->cells / clique->separator_cells;
	node->cumulative = dp_alloc(arena, clique->cells, sizeof(double));
	if (node->cumulative == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(fill_slices(node, clique, model->levels, model->belief.clique[number].cell, arena));
	for (uint64_t slice = 0; slice < node->slices; slice++)
		accumulate(node->cumulative + slice * node->cells, node->cells);
	return DP_OK;
}

static DpStatus
allocate_tile(DpGraphicalSampler *sampler, DpArena *arena)
{
	uint64_t slices = 1, rows;

	for (uint32_t i = 0; i < sampler->nodes; i++)
		slices = sampler->node[i].slices > slices ? sampler->node[i].slices : slices;
	for (uint32_t a = 0; a < sampler->attributes; a++)
		slices = sampler->levels[a] > slices ? sampler->levels[a] : slices;
	sampler->tile_blocks = TILE_CODES / ((uint64_t) DP_BLOCK_ROWS * sampler->attributes);
	if (sampler->tile_blocks > TILE_BLOCKS_MAX)
		sampler->tile_blocks = TILE_BLOCKS_MAX;
	if (sampler->tile_blocks < 1)
		sampler->tile_blocks = 1;
	rows = sampler->tile_blocks * DP_BLOCK_ROWS;
	sampler->code = dp_alloc(arena, rows * sampler->attributes, sizeof(*sampler->code));
	sampler->slice = dp_alloc(arena, rows, sizeof(*sampler->slice));
	sampler->deck = dp_alloc(arena, rows, sizeof(*sampler->deck));
	sampler->start = dp_alloc(arena, slices, sizeof(*sampler->start));
	sampler->left = dp_alloc(arena, slices, sizeof(*sampler->left));
	if (sampler->code == NULL || sampler->slice == NULL || sampler->deck == NULL ||
		sampler->start == NULL || sampler->left == NULL)
		return DP_ERR_MEMORY;
	return DP_OK;
}

DpStatus
dp_graphical_sampler_build(const DpGraphical *model, uint64_t rows,
						   const DpLevelSplit *const *split, bool systematic,
						   DpGraphicalSampler **out, DpArena *arena)
{
	DpGraphicalSampler *sampler = dp_alloc(arena, 1, sizeof(*sampler));

	if (sampler == NULL)
		return DP_ERR_MEMORY;
	sampler->attributes = model->attributes;
	sampler->levels = model->levels;
	sampler->split = split;
	sampler->rows = rows;
	sampler->systematic = systematic;
	sampler->nodes = model->tree.cliques;
	sampler->node = dp_alloc(arena, sampler->nodes, sizeof(*sampler->node));
	if (sampler->node == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < sampler->nodes; i++)
	{
		DP_TRY(compile_node(&sampler->node[i], model, i, arena));
		if (sampler->node[i].slices > UINT32_MAX || sampler->node[i].cells > UINT32_MAX)
			return DP_ERR_LIMIT;
	}
	if (systematic)
		DP_TRY(allocate_tile(sampler, arena));
	*out = sampler;
	return DP_OK;
}

/* ---- one row ---- */

/* The first place whose cumulative share is above u. */
static uint64_t
find_cell(const double *cumulative, uint64_t n, double u)
{
	uint64_t low = 0, high = n - 1;

	while (low < high)
	{
		uint64_t middle = low + (high - low) / 2;

		if (cumulative[middle] > u)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static uint64_t
slice_of(const Node *node, const uint32_t *levels, const uint32_t *codes)
{
	uint64_t slice = 0;

	for (uint32_t k = 0; k < node->known; k++)
		slice = slice * levels[node->known_attribute[k]] + codes[node->known_attribute[k]];
	return slice;
}

static void
set_codes(const Node *node, const uint32_t *levels, uint64_t cell, uint32_t *codes)
{
	for (uint32_t k = node->drawn; k-- > 0;)
	{
		uint32_t a = node->drawn_attribute[k];

		codes[a] = (uint32_t) (cell % levels[a]);
		cell /= levels[a];
	}
}

void
dp_graphical_draw(const void *sampler_in, DpPrng *prng, uint32_t *codes)
{
	const DpGraphicalSampler *sampler = sampler_in;

	for (uint32_t i = 0; i < sampler->nodes; i++)
	{
		const Node *node = &sampler->node[i];
		uint64_t slice = slice_of(node, sampler->levels, codes);

		set_codes(
			node, sampler->levels,
			find_cell(node->cumulative + slice * node->cells, node->cells, dp_prng_unit(prng)),
			codes);
	}
	for (uint32_t a = 0; a < sampler->attributes; a++)
	{
		const DpLevelSplit *split = &sampler->split[a][codes[a]];

		codes[a] = split->n == 1
					   ? split->level[0]
					   : split->level[find_cell(split->cumulative, split->n, dp_prng_unit(prng))];
	}
}

/* ---- a tile ---- */

static uint32_t *
column_of(const DpGraphicalSampler *sampler, uint32_t attribute)
{
	return sampler->code + attribute * sampler->tile_blocks * DP_BLOCK_ROWS;
}

/* The slice of each row of the tile, column by column. */
static void
find_slices(DpGraphicalSampler *sampler, const Node *node, uint64_t rows)
{
	memset(sampler->slice, 0, rows * sizeof(*sampler->slice));
	for (uint32_t k = 0; k < node->known; k++)
	{
		const uint32_t *code = column_of(sampler, node->known_attribute[k]);
		uint32_t levels = sampler->levels[node->known_attribute[k]];

		for (uint64_t row = 0; row < rows; row++)
			sampler->slice[row] = sampler->slice[row] * levels + code[row];
	}
}

/* Makes room for the deck of each slice. */
static void
place_decks(DpGraphicalSampler *sampler, uint64_t slices, uint64_t rows)
{
	uint32_t so_far = 0;

	memset(sampler->left, 0, slices * sizeof(*sampler->left));
	for (uint64_t row = 0; row < rows; row++)
		sampler->left[sampler->slice[row]]++;
	for (uint64_t s = 0; s < slices; s++)
	{
		sampler->start[s] = so_far;
		so_far += sampler->left[s];
	}
}

/* The i-th of n cards is the cell of (i + shift)/n. If there are few cards for many cells, each is
 * looked up by bisection. */
static void
fill_deck(const double *cumulative, uint64_t cells, uint32_t *card, uint32_t n, DpPrng *prng)
{
	double shift = dp_prng_unit(prng);
	uint32_t filled = 0;

	if (n < cells / 16)
	{
		for (; filled < n; filled++)
			card[filled] = (uint32_t) find_cell(cumulative, cells, (filled + shift) / n);
		return;
	}
	for (uint64_t cell = 0; cell + 1 < cells; cell++)
		for (double end = cumulative[cell] * n - shift; filled < n && filled < end; filled++)
			card[filled] = (uint32_t) cell;
	for (; filled < n; filled++)
		card[filled] = (uint32_t) (cells - 1);
}

/* Gives each row a random card of what is left of its slice's deck. card may be the slices. */
static void
hand_out(DpGraphicalSampler *sampler, uint64_t rows, DpPrng *prng, uint32_t *card)
{
	uint64_t random[NUMBERS];

	for (uint64_t row = 0; row < rows; row++)
	{
		uint32_t slice = sampler->slice[row], left = sampler->left[slice]--;
		uint32_t *deck = sampler->deck + sampler->start[slice];
		uint32_t own;

		if (row % NUMBERS == 0)
			dp_prng_fill(prng, random, NUMBERS);
		own = (uint32_t) dp_prng_scale(random[row % NUMBERS], left);
		card[row] = deck[own];
		deck[own] = deck[left - 1];
	}
}

/* Turns cells into codes. cell may be the only column. */
static void
set_columns(const DpGraphicalSampler *sampler, const Node *node, uint32_t *cell, uint64_t rows)
{
	for (uint32_t k = node->drawn; k-- > 0;)
	{
		uint32_t levels = sampler->levels[node->drawn_attribute[k]];
		uint32_t *code = column_of(sampler, node->drawn_attribute[k]);

		for (uint64_t row = 0; row < rows; row++)
		{
			code[row] = cell[row] % levels;
			cell[row] /= levels;
		}
	}
}

static void
draw_node(DpGraphicalSampler *sampler, const Node *node, uint64_t rows, DpPrng *prng)
{
	uint32_t *cell =
		node->drawn == 1 ? column_of(sampler, node->drawn_attribute[0]) : sampler->slice;

	find_slices(sampler, node, rows);
	place_decks(sampler, node->slices, rows);
	for (uint64_t s = 0; s < node->slices; s++)
		if (sampler->left[s] > 0)
			fill_deck(node->cumulative + s * node->cells, node->cells,
					  sampler->deck + sampler->start[s], sampler->left[s], prng);
	hand_out(sampler, rows, prng, cell);
	if (node->drawn > 1)
		set_columns(sampler, node, cell, rows);
}

static bool
is_one_to_one(const DpGraphicalSampler *sampler, uint32_t attribute)
{
	for (uint32_t g = 0; g < sampler->levels[attribute]; g++)
		if (sampler->split[attribute][g].n != 1)
			return false;
	return true;
}

/* Turns groups into levels. */
static void
split_attribute(DpGraphicalSampler *sampler, uint32_t attribute, uint64_t rows, DpPrng *prng)
{
	const DpLevelSplit *split = sampler->split[attribute];
	uint32_t *code = column_of(sampler, attribute);

	if (is_one_to_one(sampler, attribute))
	{
		for (uint64_t row = 0; row < rows; row++)
			code[row] = split[code[row]].level[0];
		return;
	}
	memcpy(sampler->slice, code, rows * sizeof(*code));
	place_decks(sampler, sampler->levels[attribute], rows);
	for (uint32_t g = 0; g < sampler->levels[attribute]; g++)
	{
		uint32_t *card = sampler->deck + sampler->start[g];

		if (split[g].n > 1)
			fill_deck(split[g].cumulative, split[g].n, card, sampler->left[g], prng);
		for (uint32_t i = 0; i < sampler->left[g]; i++)
			card[i] = split[g].level[split[g].n > 1 ? card[i] : 0];
	}
	hand_out(sampler, rows, prng, code);
}

static void
draw_tile(DpGraphicalSampler *sampler, DpPrng *prng, uint64_t rows, const DpTick *tick)
{
	for (uint32_t i = 0; i < sampler->nodes; i++)
	{
		dp_tick(tick, -1.0);
		draw_node(sampler, &sampler->node[i], rows, prng);
	}
	for (uint32_t a = 0; a < sampler->attributes; a++)
		split_attribute(sampler, a, rows, prng);
}

/* Writes rows of the tile from a place on, row by row. */
static void
turn_rows(const DpGraphicalSampler *sampler, uint64_t place, uint32_t rows, uint32_t *codes)
{
	uint32_t attributes = sampler->attributes;

	for (uint32_t first = 0; first < rows; first += TURNED_ROWS)
	{
		uint32_t end = first + TURNED_ROWS < rows ? first + TURNED_ROWS : rows;

		for (uint32_t a = 0; a < attributes; a++)
		{
			const uint32_t *code = column_of(sampler, a) + place;

			for (uint32_t row = first; row < end; row++)
				codes[(size_t) row * attributes + a] = code[row];
		}
	}
}

/* The number of rows of a tile: all of it, or what is left of the expected rows. */
static uint64_t
rows_of_tile(const DpGraphicalSampler *sampler, uint64_t tile, uint64_t least)
{
	uint64_t full = sampler->tile_blocks * DP_BLOCK_ROWS;
	uint64_t left = sampler->rows / full > tile    ? full
					: sampler->rows / full == tile ? sampler->rows % full
												   : 0;

	return left >= least ? left : full;
}

static void
have_tile(DpGraphicalSampler *sampler, DpStream tile, uint64_t rows, const DpTick *tick)
{
	DpStream own = tile;
	DpPrng prng;

	if (sampler->tile_is_there && sampler->tile.seed == tile.seed &&
		sampler->tile.set == tile.set && sampler->tile.block == tile.block &&
		sampler->tile_rows == rows)
		return;
	sampler->tile_is_there = false; /* the tick may not come back */
	own.seed ^= TILE_STREAM;
	dp_prng_seed(&prng, own);
	draw_tile(sampler, &prng, rows, tick);
	sampler->tile = tile;
	sampler->tile_rows = rows;
	sampler->tile_is_there = true;
}

void
dp_graphical_draw_block(void *sampler_in, const DpRowBlock *block, uint32_t *codes,
						const DpTick *tick)
{
	DpGraphicalSampler *sampler = sampler_in;
	DpStream tile = block->stream;
	uint64_t first;

	if (!sampler->systematic)
	{
		DpPrng prng;

		dp_prng_seed(&prng, block->stream);
		for (uint32_t row = 0; row < block->rows; row++)
		{
			dp_tick(tick, -1.0);
			dp_graphical_draw(sampler, &prng, codes + (size_t) row * sampler->attributes);
		}
		return;
	}
	first = tile.block % sampler->tile_blocks * DP_BLOCK_ROWS;
	tile.block /= sampler->tile_blocks;
	have_tile(sampler, tile, rows_of_tile(sampler, tile.block, first + block->rows), tick);
	turn_rows(sampler, first, block->rows, codes);
}

void
dp_graphical_expect(void *sampler_in, uint64_t rows)
{
	((DpGraphicalSampler *) sampler_in)->rows = rows;
}
