/*
 * systematic_batch.c -- rows of a graphical model that are drawn together, column by column.
 *
 * For the n rows of a batch that agree on the separator of a clique there is a deck of n cells: the
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
#include "core/sample/systematic_batch.h"

#include <math.h>
#include <string.h>
#include "core/sample/sampler.h"

#define BATCH_CODES (UINT64_C(1) << 22) /* codes of all attributes in a batch */
#define BATCH_BLOCKS_MAX 256
#define NUMBERS 512    /* random ones, that are drawn at a time */
#define TURNED_ROWS 32 /* that stay in the cache while they are written */

/* Codes of rows are stored by columns: [attribute x capacity + row]. */
struct DpSystematicBatch
{
	DpSystematicBatchModel model;
	uint64_t capacity; /* rows */
	uint32_t *code; /* [attributes x capacity] of groups, and when the batch is drawn of levels */
	bool *is_same;  /* [attributes] groups are the levels, in their order */
	/* what the rows know */
	const uint32_t *slice; /* [rows] */
	uint32_t *own_slice;   /* [capacity] if it is not a column */
	uint32_t *start;       /* [most slices] of a slice's deck */
	uint32_t *left;        /* [most slices] cards of it */
	uint32_t *last;        /* [capacity] the last card that a row finds in its deck */
	uint32_t *deck;        /* [capacity] those of all slices, one after the other */
	uint32_t *cell;        /* [capacity] of several attributes together */
};

/* ---- making ---- */

static uint64_t
most_slices(const DpSystematicBatchModel *model)
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
dp_systematic_batch_create(const DpSystematicBatchModel *model, DpSystematicBatch **out,
						   DpArena *arena)
{
	DpSystematicBatch *batch = dp_alloc(arena, 1, sizeof(*batch));
	uint64_t slices = most_slices(model);
	uint64_t blocks = BATCH_CODES / ((uint64_t) DP_BLOCK_ROWS * model->attributes);

	DP_TRY_ALLOC(batch);
	blocks = blocks > BATCH_BLOCKS_MAX ? BATCH_BLOCKS_MAX : blocks < 1 ? 1 : blocks;
	batch->model = *model;
	batch->capacity = blocks * DP_BLOCK_ROWS;
	batch->code = dp_alloc(arena, batch->capacity * model->attributes, sizeof(*batch->code));
	batch->is_same = dp_alloc(arena, model->attributes, sizeof(*batch->is_same));
	batch->own_slice = dp_alloc(arena, batch->capacity, sizeof(*batch->own_slice));
	batch->start = dp_alloc(arena, slices, sizeof(*batch->start));
	batch->left = dp_alloc(arena, slices, sizeof(*batch->left));
	batch->last = dp_alloc(arena, batch->capacity, sizeof(*batch->last));
	batch->deck = dp_alloc(arena, batch->capacity, sizeof(*batch->deck));
	batch->cell = dp_alloc(arena, batch->capacity, sizeof(*batch->cell));
	DP_TRY_ALLOC(batch->code && batch->is_same && batch->own_slice && batch->start && batch->left &&
				 batch->last && batch->deck && batch->cell);
	for (uint32_t a = 0; a < model->attributes; a++)
		batch->is_same[a] = is_same(model->split[a], model->levels[a]);
	*out = batch;
	return DP_OK;
}

uint64_t
dp_systematic_batch_capacity(const DpSystematicBatch *batch)
{
	return batch->capacity;
}

static uint32_t *
column_of(const DpSystematicBatch *batch, uint32_t attribute)
{
	return batch->code + attribute * batch->capacity;
}

/* ---- what rows know ---- */

/* The slice of each row, column by column. */
static void
find_slices(DpSystematicBatch *batch, const DpCliqueConditional *node, uint64_t rows)
{
	uint32_t *slice = batch->own_slice;

	if (node->known.n == 1)
	{
		batch->slice = column_of(batch, node->known.attribute[0]);
		return;
	}
	batch->slice = slice;
	memset(slice, 0, rows * sizeof(*slice));
	for (uint32_t k = 0; k < node->known.n; k++)
	{
		const uint32_t *code = column_of(batch, node->known.attribute[k]);
		uint32_t levels = batch->model.levels[node->known.attribute[k]];

		for (uint64_t row = 0; row < rows; row++)
			slice[row] = slice[row] * levels + code[row];
	}
}

/* Lays out the deck of each slice. A row finds what the rows behind it in its slice leave. */
static void
place_decks(DpSystematicBatch *batch, uint64_t slices, uint64_t rows)
{
	const uint32_t *slice = batch->slice;
	uint32_t so_far = 0;

	memset(batch->left, 0, slices * sizeof(*batch->left));
	for (uint64_t row = rows; row-- > 0;)
		batch->last[row] = batch->left[slice[row]]++;
	for (uint64_t s = 0; s < slices; s++)
	{
		batch->start[s] = so_far;
		so_far += batch->left[s];
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

/* Gives each row from first to end one of the remaining cards of its slice's deck, at random. card
 * may be the array of slices. */
static void
hand_out_some(DpSystematicBatch *batch, uint64_t first, uint64_t end, DpPrng *prng, uint32_t *card)
{
	const uint32_t *slice = batch->slice, *last = batch->last, *start = batch->start;
	uint32_t *const deck = batch->deck;
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
hand_out(DpSystematicBatch *batch, uint64_t rows, DpPrng *prng, uint32_t *card)
{
	for (uint64_t first = 0; first < rows; first += NUMBERS)
		hand_out_some(batch, first, first + NUMBERS < rows ? first + NUMBERS : rows, prng, card);
}

/* ---- a batch ---- */

/* Turns cells into codes. */
static void
set_columns(DpSystematicBatch *batch, const DpCliqueConditional *node, uint64_t rows)
{
	uint32_t *cell = batch->cell;

	for (uint32_t k = node->drawn.n; k-- > 0;)
	{
		uint32_t levels = batch->model.levels[node->drawn.attribute[k]];
		uint32_t *code = column_of(batch, node->drawn.attribute[k]);

		for (uint64_t row = 0; row < rows; row++)
		{
			code[row] = cell[row] % levels;
			cell[row] /= levels;
		}
	}
}

static void
draw_node(DpSystematicBatch *batch, const DpCliqueConditional *node, uint64_t rows, DpPrng *prng)
{
	for (uint64_t s = 0; s < node->slices; s++)
		if (batch->left[s] > 0)
			fill_deck(node->cumulative + s * node->cells, node->cells,
					  batch->deck + batch->start[s], batch->left[s], prng);
	hand_out(batch, rows, prng,
			 node->drawn.n == 1 ? column_of(batch, node->drawn.attribute[0]) : batch->cell);
	if (node->drawn.n > 1)
		set_columns(batch, node, rows);
}

/* Turns groups into levels. */
static void
split_attribute(DpSystematicBatch *batch, uint32_t attribute, uint64_t rows, DpPrng *prng)
{
	const DpLevelSplit *split = batch->model.split[attribute];
	uint32_t groups = batch->model.levels[attribute];
	uint32_t *code = column_of(batch, attribute);

	batch->slice = code;
	place_decks(batch, groups, rows);
	for (uint32_t g = 0; g < groups; g++)
	{
		uint32_t *card = batch->deck + batch->start[g];

		if (split[g].n > 1)
			fill_deck(split[g].cumulative, split[g].n, card, batch->left[g], prng);
		for (uint32_t i = 0; i < batch->left[g]; i++)
			card[i] = split[g].level[split[g].n > 1 ? card[i] : 0];
	}
	hand_out(batch, rows, prng, code);
}

void
dp_systematic_batch_draw(DpSystematicBatch *batch, DpPrng *prng, uint64_t rows, const DpTick *tick)
{
	const DpCliqueConditional *node = batch->model.node;

	for (uint32_t i = 0; i < batch->model.nodes; i++)
	{
		dp_tick(tick, -1.0);
		if (i == 0 || !dp_graphical_know_the_same(&node[i], &node[i - 1]))
		{
			find_slices(batch, &node[i], rows);
			place_decks(batch, node[i].slices, rows);
		}
		draw_node(batch, &node[i], rows, prng);
	}
	for (uint32_t a = 0; a < batch->model.attributes; a++)
		if (!batch->is_same[a])
			split_attribute(batch, a, rows, prng);
}

void
dp_systematic_batch_rows(const DpSystematicBatch *batch, uint64_t place, uint32_t rows,
						 uint32_t *codes)
{
	uint32_t attributes = batch->model.attributes;

	for (uint32_t first = 0; first < rows; first += TURNED_ROWS)
	{
		uint32_t end = first + TURNED_ROWS < rows ? first + TURNED_ROWS : rows;

		for (uint32_t a = 0; a < attributes; a++)
		{
			const uint32_t *code = column_of(batch, a) + place;

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
