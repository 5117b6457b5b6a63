/*
 * graphical_sampler.c -- rows from a fitted graphical model, clique by clique.
 *
 * The attributes of a clique that its separator lacks are drawn together, given the separator: at
 * the root first, then at its children. An independent row draws a cell by the cumulative shares
 * of its slice, which is the cells with its codes in the separator.
 *
 * Systematic rows come in tiles. The rows of a tile that agree on the separator of a clique are
 * put in random order. The i-th of n rows takes the cell in which (i + shift)/n falls, where shift
 * is uniform. So each cell gets its expected number of rows, rounded up or down, and not a
 * binomial number. Each row by itself has the distribution of the model. Rows that agree on the
 * separator are put in random order again at each clique, so that attributes depend on each other
 * only through the separator. At the end the rows of a tile are in random order.
 *
 * A tile is drawn when its first block is asked for, from its own stream, and kept until another
 * tile is asked for. What a row is depends on the seed, the set and the number of rows drawn in
 * all, and not on how rows are fetched.
 */
#include "core/rows/graphical_sampler.h"

#include <string.h>

#define TILE_CODES (UINT64_C(1) << 22) /* codes of all attributes in a tile */
#define TILE_BLOCKS_MAX 256
#define SHUFFLE_NUMBERS 256                      /* that are drawn at a time */
#define TURNED_ROWS 32                           /* that stay in the cache while they are written */
#define AHEAD 12                                 /* rows, that are fetched into the cache */
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
	uint32_t *code;  /* [attributes x tile rows] of groups */
	uint32_t *row;   /* [tile rows x attributes] of levels: the same, when the tile is drawn */
	uint32_t *slice; /* [tile rows] */
	uint32_t *order; /* [tile rows] rows by slice, and at the end in random order */
	uint32_t *start; /* [most slices + 1] */
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
	sampler->row = dp_alloc(arena, rows * sampler->attributes, sizeof(*sampler->row));
	sampler->slice = dp_alloc(arena, rows, sizeof(*sampler->slice));
	sampler->order = dp_alloc(arena, rows, sizeof(*sampler->order));
	sampler->start = dp_alloc(arena, slices + 1, sizeof(*sampler->start));
	if (sampler->code == NULL || sampler->row == NULL || sampler->slice == NULL ||
		sampler->order == NULL || sampler->start == NULL)
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

static void
shuffle(uint32_t *item, uint64_t n, DpPrng *prng)
{
	uint64_t random[SHUFFLE_NUMBERS];
	uint32_t left = 0;

	for (uint64_t i = n; i > 1; i--)
	{
		uint64_t k;
		uint32_t other;

		if (left == 0)
		{
			left = i - 1 < SHUFFLE_NUMBERS ? (uint32_t) (i - 1) : SHUFFLE_NUMBERS;
			dp_prng_fill(prng, random, left);
		}
		k = dp_prng_scale(random[--left], i);
		other = item[k];
		item[k] = item[i - 1];
		item[i - 1] = other;
	}
}

/* Sorts the rows of the tile by slice into order, ascending within each; start[s] is where slice
 * s begins. */
static void
sort_by_slice(DpGraphicalSampler *sampler, uint64_t slices, uint64_t rows)
{
	uint32_t *start = sampler->start;
	uint32_t so_far = 0;

	memset(start, 0, (slices + 1) * sizeof(*start));
	for (uint64_t row = 0; row < rows; row++)
		start[sampler->slice[row]]++;
	for (uint64_t s = 0; s <= slices; s++)
	{
		uint32_t n = start[s];

		start[s] = so_far;
		so_far += n;
	}
	for (uint64_t row = 0; row < rows; row++)
		sampler->order[start[sampler->slice[row]]++] = (uint32_t) row;
	for (uint64_t s = slices; s-- > 0;)
		start[s + 1] = start[s]; /* where the next one begins */
	start[0] = 0;
}

/* Gives rows the codes of a cell. */
static void
deal_cell(const DpGraphicalSampler *sampler, const Node *node, uint64_t cell, const uint32_t *row,
		  uint64_t n)
{
	uint64_t stride = sampler->tile_blocks * DP_BLOCK_ROWS;

	for (uint32_t k = node->drawn; k-- > 0;)
	{
		uint32_t a = node->drawn_attribute[k], levels = sampler->levels[a];
		uint32_t *code = sampler->code + a * stride, value = (uint32_t) (cell % levels);

		for (uint64_t i = 0; i < n; i++)
			code[row[i]] = value;
		cell /= levels;
	}
}

/* Gives the i-th of n rows the cell of (i + shift)/n, which ascends. If there are few rows for a long
 * slice, each is looked up by bisection. */
static void
deal(const DpGraphicalSampler *sampler, const Node *node, uint64_t slice, const uint32_t *row,
	 uint64_t n, double shift)
{
	const double *cumulative = node->cumulative + slice * node->cells;
	uint64_t cell = 0, begin = 0;
	bool few = n < node->cells / 16;

	for (uint64_t i = 0; i < n; i++)
	{
		double u = ((double) i + shift) / (double) n;
		uint64_t own = cell;

		if (few)
			own = find_cell(cumulative, node->cells, u);
		while (!few && own + 1 < node->cells && cumulative[own] <= u)
			own++;
		if (own == cell)
			continue;
		deal_cell(sampler, node, cell, row + begin, i - begin);
		cell = own;
		begin = i;
	}
	deal_cell(sampler, node, cell, row + begin, n - begin);
}

/* The slice of each row of the tile, column by column. */
static void
find_slices(DpGraphicalSampler *sampler, const Node *node, uint64_t rows)
{
	uint64_t stride = sampler->tile_blocks * DP_BLOCK_ROWS;

	memset(sampler->slice, 0, rows * sizeof(*sampler->slice));
	for (uint32_t k = 0; k < node->known; k++)
	{
		const uint32_t *code = sampler->code + node->known_attribute[k] * stride;
		uint32_t levels = sampler->levels[node->known_attribute[k]];

		for (uint64_t row = 0; row < rows; row++)
			sampler->slice[row] = sampler->slice[row] * levels + code[row];
	}
}

static void
draw_node(DpGraphicalSampler *sampler, const Node *node, uint64_t rows, DpPrng *prng)
{
	find_slices(sampler, node, rows);
	sort_by_slice(sampler, node->slices, rows);
	for (uint64_t s = 0; s < node->slices; s++)
	{
		uint64_t n = sampler->start[s + 1] - sampler->start[s];
		uint32_t *row = sampler->order + sampler->start[s];

		if (n == 0)
			continue;
		shuffle(row, n, prng);
		deal(sampler, node, s, row, n, dp_prng_unit(prng));
	}
}

static bool
is_one_to_one(const DpGraphicalSampler *sampler, uint32_t attribute)
{
	for (uint32_t g = 0; g < sampler->levels[attribute]; g++)
		if (sampler->split[attribute][g].n != 1)
			return false;
	return true;
}

/* Turns groups into levels. The rows are in random order already, so that they need no other. */
static void
split_attribute(DpGraphicalSampler *sampler, uint32_t attribute, uint64_t rows, DpPrng *prng)
{
	uint64_t stride = sampler->tile_blocks * DP_BLOCK_ROWS;
	uint32_t *code = sampler->code + attribute * stride;

	if (is_one_to_one(sampler, attribute))
	{
		for (uint64_t row = 0; row < rows; row++)
			code[row] = sampler->split[attribute][code[row]].level[0];
		return;
	}
	memcpy(sampler->slice, code, rows * sizeof(*code));
	sort_by_slice(sampler, sampler->levels[attribute], rows);
	for (uint32_t g = 0; g < sampler->levels[attribute]; g++)
	{
		const DpLevelSplit *split = &sampler->split[attribute][g];
		uint32_t n = sampler->start[g + 1] - sampler->start[g];
		uint32_t *row = sampler->order + sampler->start[g];
		double shift = split->n > 1 ? dp_prng_unit(prng) : 0;

		if (split->n > 1)
			shuffle(row, n, prng);
		for (uint32_t i = 0; i < n; i++)
			code[row[i]] =
				split->n == 1
					? split->level[0]
					: split->level[find_cell(split->cumulative, split->n, (i + shift) / n)];
	}
}

/* Writes the codes of a tile row by row, since its rows will be asked for in random order. */
static void
turn_tile(DpGraphicalSampler *sampler, uint64_t rows)
{
	uint64_t stride = sampler->tile_blocks * DP_BLOCK_ROWS;
	uint32_t attributes = sampler->attributes;

	for (uint64_t first = 0; first < rows; first += TURNED_ROWS)
	{
		uint64_t end = first + TURNED_ROWS < rows ? first + TURNED_ROWS : rows;

		for (uint32_t a = 0; a < attributes; a++)
			for (uint64_t row = first; row < end; row++)
				sampler->row[row * attributes + a] = sampler->code[a * stride + row];
	}
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
	turn_tile(sampler, rows);
	for (uint64_t row = 0; row < rows; row++)
		sampler->order[row] = (uint32_t) row;
	shuffle(sampler->order, rows, prng);
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

/* The codes of the row that comes at a place of the random order. */
static const uint32_t *
tile_row(const DpGraphicalSampler *sampler, uint64_t place)
{
	return sampler->row + (size_t) sampler->order[place] * sampler->attributes;
}

static void
prefetch_row(const DpGraphicalSampler *sampler, uint64_t place)
{
	const uint32_t *row = tile_row(sampler, place);

	__builtin_prefetch(row);
	__builtin_prefetch(row + sampler->attributes - 1);
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
	for (uint32_t row = 0; row < block->rows; row++)
	{
		if (row + AHEAD < block->rows)
			prefetch_row(sampler, first + row + AHEAD);
		memcpy(codes + (size_t) row * sampler->attributes, tile_row(sampler, first + row),
			   sizeof(*codes) * sampler->attributes);
	}
}

void
dp_graphical_expect(void *sampler_in, uint64_t rows)
{
	((DpGraphicalSampler *) sampler_in)->rows = rows;
}
