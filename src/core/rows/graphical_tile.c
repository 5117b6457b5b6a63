/*
 * graphical_tile.c -- rows of a graphical model that are drawn together, column by column.
 *
 * For the n rows of a tile that agree on the separator of a clique there is a deck of n cells: the
 * i-th is that in which (i + shift)/n falls, where shift is uniform. So each cell is for its
 * expected number of rows, rounded up or down, and not for a binomial number. Each row takes a
 * random card of what is left of its deck, so that each row by itself has the distribution of the
 * model, and attributes depend on each other only through the separator. Which row is which is
 * never looked at: rows could change their places without a difference, so that they are in random
 * order as they stand.
 *
 * Nodes that know the same attributes stand together. Which deck a row takes a card of, and how
 * many cards it finds there, is the same for all of them, and is found once. So the draw of a
 * column walks through memory without waiting for what it wrote a row before.
 */
#include "core/rows/graphical_tile.h"

#include <math.h>
#include <string.h>

#define TILE_CODES (UINT64_C(1) << 22) /* codes of all attributes in a tile */
#define TILE_BLOCKS_MAX 256
#define NUMBERS 512    /* random ones, that are drawn at a time */
#define TURNED_ROWS 32 /* that stay in the cache while they are written */

/* Codes of rows are stored by columns: [attribute x room + row]. */
struct DpGraphicalTile
{
	DpTileModel model;
	uint64_t room;  /* rows */
	uint32_t *code; /* [attributes x room] of groups, and when the tile is drawn of levels */
	bool *is_same;  /* [attributes] groups are the levels, in their order */
	/* what the rows know */
	const uint32_t *slice; /* [rows] */
	uint32_t *own_slice;   /* [room] if it is not a column */
	uint32_t *start;       /* [most slices] of a slice's deck */
	uint32_t *left;        /* [most slices] cards of it */
	uint32_t *last;        /* [room] the last card that a row finds in its deck */
	uint32_t *deck;        /* [room] those of all slices, one after the other */
	uint32_t *cell;        /* [room] of several attributes together */
};

/* ---- making ---- */

static uint64_t
most_slices(const DpTileModel *model)
{
	uint64_t most = 1;

	for (uint32_t i = 0; i < model->nodes; i++)
		most = model->node[i].slices > most ? model->node[i].slices : most;
	for (uint32_t a = 0; a < model->attributes; a++)
		most = model->levels[a] > most ? model->levels[a] : most;
	return most;
}

static bool
is_same(const DpLevelSplit *split, uint32_t groups)
{
	for (uint32_t g = 0; g < groups; g++)
		if (split[g].n != 1 || split[g].level[0] != g)
			return false;
	return true;
}

DpStatus
dp_graphical_tile_create(const DpTileModel *model, DpGraphicalTile **out, DpArena *arena)
{
	DpGraphicalTile *tile = dp_alloc(arena, 1, sizeof(*tile));
	uint64_t slices = most_slices(model);
	uint64_t blocks = TILE_CODES / ((uint64_t) DP_BLOCK_ROWS * model->attributes);

	if (tile == NULL)
		return DP_ERR_MEMORY;
	blocks = blocks > TILE_BLOCKS_MAX ? TILE_BLOCKS_MAX : blocks < 1 ? 1 : blocks;
	tile->model = *model;
	tile->room = blocks * DP_BLOCK_ROWS;
	tile->code = dp_alloc(arena, tile->room * model->attributes, sizeof(*tile->code));
	tile->is_same = dp_alloc(arena, model->attributes, sizeof(*tile->is_same));
	tile->own_slice = dp_alloc(arena, tile->room, sizeof(*tile->own_slice));
	tile->start = dp_alloc(arena, slices, sizeof(*tile->start));
	tile->left = dp_alloc(arena, slices, sizeof(*tile->left));
	tile->last = dp_alloc(arena, tile->room, sizeof(*tile->last));
	tile->deck = dp_alloc(arena, tile->room, sizeof(*tile->deck));
	tile->cell = dp_alloc(arena, tile->room, sizeof(*tile->cell));
	if (tile->code == NULL || tile->is_same == NULL || tile->own_slice == NULL ||
		tile->start == NULL || tile->left == NULL || tile->last == NULL || tile->deck == NULL ||
		tile->cell == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t a = 0; a < model->attributes; a++)
		tile->is_same[a] = is_same(model->split[a], model->levels[a]);
	*out = tile;
	return DP_OK;
}

uint64_t
dp_graphical_tile_room(const DpGraphicalTile *tile)
{
	return tile->room;
}

static uint32_t *
column_of(const DpGraphicalTile *tile, uint32_t attribute)
{
	return tile->code + attribute * tile->room;
}

/* ---- what rows know ---- */

/* The slice of each row, column by column. */
static void
find_slices(DpGraphicalTile *tile, const DpGraphicalNode *node, uint64_t rows)
{
	uint32_t *slice = tile->own_slice;

	if (node->known == 1)
	{
		tile->slice = column_of(tile, node->known_attribute[0]);
		return;
	}
	tile->slice = slice;
	memset(slice, 0, rows * sizeof(*slice));
	for (uint32_t k = 0; k < node->known; k++)
	{
		const uint32_t *code = column_of(tile, node->known_attribute[k]);
		uint32_t levels = tile->model.levels[node->known_attribute[k]];

		for (uint64_t row = 0; row < rows; row++)
			slice[row] = slice[row] * levels + code[row];
	}
}

/* Makes room for the deck of each slice. A row finds what the rows behind it in its slice leave. */
static void
place_decks(DpGraphicalTile *tile, uint64_t slices, uint64_t rows)
{
	const uint32_t *slice = tile->slice;
	uint32_t so_far = 0;

	memset(tile->left, 0, slices * sizeof(*tile->left));
	for (uint64_t row = rows; row-- > 0;)
		tile->last[row] = tile->left[slice[row]]++;
	for (uint64_t s = 0; s < slices; s++)
	{
		tile->start[s] = so_far;
		so_far += tile->left[s];
	}
}

/* ---- decks ---- */

/* The i-th of n cards is the cell of (i + shift)/n, which can be rounded to 1, and then is the last
 * cell that has a weight. If there are few cards for many cells, each is looked up by bisection. */
static void
fill_deck(const double *cumulative, uint64_t cells, uint32_t *card, uint32_t n, DpPrng *prng)
{
	double shift = dp_prng_unit(prng);
	uint64_t last = dp_cumulative_last(cumulative, cells);
	uint32_t filled = 0;

	if (n < cells / 16)
	{
		for (; filled < n; filled++)
			card[filled] =
				(uint32_t) dp_cumulative_find(cumulative, last + 1, (filled + shift) / n);
		return;
	}
	for (uint64_t cell = 0; cell < last && filled < n; cell++)
	{
		double before =
			ceil(cumulative[cell] * n - shift); /* cards of this cell or those before it */
		uint32_t end = before < n ? (uint32_t) fmax(before, 0) : n;

		for (; filled < end; filled++)
			card[filled] = (uint32_t) cell;
	}
	for (; filled < n; filled++)
		card[filled] = (uint32_t) last;
}

/* Gives rows from first to end a random card each of what is left of their slice's deck. card may
 * be the slices. */
static void
hand_out_some(DpGraphicalTile *tile, uint64_t first, uint64_t end, DpPrng *prng, uint32_t *card)
{
	const uint32_t *slice = tile->slice, *last = tile->last, *start = tile->start;
	uint32_t *const deck = tile->deck;
	uint32_t random[NUMBERS];

	dp_prng_fill_32(prng, random, NUMBERS);
	for (uint64_t row = first; row < end; row++)
	{
		uint32_t *own_deck = deck + start[slice[row]];
		uint32_t own = dp_prng_below_32(prng, random[row - first], last[row] + 1);

		card[row] = own_deck[own];
		own_deck[own] = own_deck[last[row]];
	}
}

static void
hand_out(DpGraphicalTile *tile, uint64_t rows, DpPrng *prng, uint32_t *card)
{
	for (uint64_t first = 0; first < rows; first += NUMBERS)
		hand_out_some(tile, first, first + NUMBERS < rows ? first + NUMBERS : rows, prng, card);
}

/* ---- a tile ---- */

/* Turns cells into codes. */
static void
set_columns(DpGraphicalTile *tile, const DpGraphicalNode *node, uint64_t rows)
{
	uint32_t *cell = tile->cell;

	for (uint32_t k = node->drawn; k-- > 0;)
	{
		uint32_t levels = tile->model.levels[node->drawn_attribute[k]];
		uint32_t *code = column_of(tile, node->drawn_attribute[k]);

		for (uint64_t row = 0; row < rows; row++)
		{
			code[row] = cell[row] % levels;
			cell[row] /= levels;
		}
	}
}

static void
draw_node(DpGraphicalTile *tile, const DpGraphicalNode *node, uint64_t rows, DpPrng *prng)
{
	for (uint64_t s = 0; s < node->slices; s++)
		if (tile->left[s] > 0)
			fill_deck(node->cumulative + s * node->cells, node->cells, tile->deck + tile->start[s],
					  tile->left[s], prng);
	hand_out(tile, rows, prng,
			 node->drawn == 1 ? column_of(tile, node->drawn_attribute[0]) : tile->cell);
	if (node->drawn > 1)
		set_columns(tile, node, rows);
}

/* Turns groups into levels. */
static void
split_attribute(DpGraphicalTile *tile, uint32_t attribute, uint64_t rows, DpPrng *prng)
{
	const DpLevelSplit *split = tile->model.split[attribute];
	uint32_t groups = tile->model.levels[attribute];
	uint32_t *code = column_of(tile, attribute);

	tile->slice = code;
	place_decks(tile, groups, rows);
	for (uint32_t g = 0; g < groups; g++)
	{
		uint32_t *card = tile->deck + tile->start[g];

		if (split[g].n > 1)
			fill_deck(split[g].cumulative, split[g].n, card, tile->left[g], prng);
		for (uint32_t i = 0; i < tile->left[g]; i++)
			card[i] = split[g].level[split[g].n > 1 ? card[i] : 0];
	}
	hand_out(tile, rows, prng, code);
}

void
dp_graphical_tile_draw(DpGraphicalTile *tile, DpPrng *prng, uint64_t rows, const DpTick *tick)
{
	const DpGraphicalNode *node = tile->model.node;

	for (uint32_t i = 0; i < tile->model.nodes; i++)
	{
		dp_tick(tick, -1.0);
		if (i == 0 || !dp_graphical_know_the_same(&node[i], &node[i - 1]))
		{
			find_slices(tile, &node[i], rows);
			place_decks(tile, node[i].slices, rows);
		}
		draw_node(tile, &node[i], rows, prng);
	}
	for (uint32_t a = 0; a < tile->model.attributes; a++)
		if (!tile->is_same[a])
			split_attribute(tile, a, rows, prng);
}

void
dp_graphical_tile_rows(const DpGraphicalTile *tile, uint64_t place, uint32_t rows, uint32_t *codes)
{
	uint32_t attributes = tile->model.attributes;

	for (uint32_t first = 0; first < rows; first += TURNED_ROWS)
	{
		uint32_t end = first + TURNED_ROWS < rows ? first + TURNED_ROWS : rows;

		for (uint32_t a = 0; a < attributes; a++)
		{
			const uint32_t *code = column_of(tile, a) + place;

			if (end + TURNED_ROWS <= rows) /* the next ones of this column come after all others */
			{
				__builtin_prefetch(code + end);
				__builtin_prefetch(code + end + TURNED_ROWS / 2);
			}
			for (uint32_t row = first; row < end; row++)
				codes[(size_t) row * attributes + a] = code[row];
		}
	}
}
