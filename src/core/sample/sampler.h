/*
 * sampler.h -- how rows come from a stored model. It is post-processing: it reads the model, which
 * was paid for, and nothing else.
 */
#ifndef DP_SAMPLER_H
#define DP_SAMPLER_H

#include "core/base/prng.h"
#include "core/model/model.h"

#define DP_BLOCK_ROWS 1024 /* rows drawn from one stream; the rows of a seed depend on it */

/* The rows of a set from number stream.block x DP_BLOCK_ROWS on; 1..DP_BLOCK_ROWS of them. */
typedef struct DpRowBlock
{
	DpStream stream;
	uint32_t rows;
} DpRowBlock;

/* A model that can be asked without drawing rows (model_query.h). */
struct DpModelQuery;
/* A noisy table with what its cells stand for (core/estimate/measured.h). */
struct DpMeasuredTable;

typedef struct DpSampler
{
	/* Compiles a model (dp_model_view). The model must outlive the state. */
	DpStatus (*prepare)(const DpModel *model, void **state, const DpTick *tick, DpArena *arena,
						DpError *error);
	/* Draws one row: codes[model->domain.attributes]. The state is read-only, so that many
	 * streams may draw from it. NULL: the release consists of rows, and fetch hands them out. */
	void (*draw)(const void *state, DpPrng *prng, uint32_t *codes);
	/* For a release that consists of rows (dp_model_holds_rows): gets the row with that number,
	 * from 0; no seed is involved. Returns false if this release is one to draw from. NULL: it
	 * always is. */
	bool (*fetch)(const void *state, uint64_t row, uint32_t *codes);
	/* The cost of a row in elementary draws, to decide on parallel workers. state: what prepare
	 * made; NULL: it was not called yet, and the result may be too large. */
	uint64_t (*draw_cost)(const DpModel *model, const void *state);
	/*
	 * Draws all rows of one block, for rows that are not independent of each other, or that come
	 * faster together; NULL: draw is called row by row. The rows depend on the arguments and on
	 * expect alone. The scratch memory of the state changes, so that only one caller may use it at
	 * a time.
	 */
	void (*draw_block)(void *state, const DpRowBlock *block, uint32_t *codes, const DpTick *tick);
	/* Tells how many rows will be drawn in all from the stream, before the first one. Without
	 * this call it is the number of the model. */
	void (*expect)(void *state, uint64_t rows);
	/* NULL: the model answers by rows alone. */
	const struct DpModelQuery *query;
	/* Describes the cells of the model's tables if cells are grouped or not all noisy: fills group
	 * and noisy of table[model->tables]. NULL: each cell is noisy and stands for itself. */
	DpStatus (*measured)(const DpModel *model, struct DpMeasuredTable *table, DpArena *arena,
						 DpError *error);
} DpSampler;

/* Calls expect of the sampler, if it has one. */
extern void dp_draw_expect(const DpSampler *sampler, void *state, uint64_t rows);
/* Gets the rows of a block, drawn or held by the release: codes[row x attributes + a]. */
extern void dp_draw_block(const DpSampler *sampler, void *state, uint32_t attributes,
						  const DpRowBlock *block, uint32_t *codes, const DpTick *tick);

/* Rows from noisy tables that divide the columns among them: each table gives one of its cells. */

extern const DpSampler dp_histogram_sampler;

/* Hands out the rows that a release holds (plan/row_release.h). */

/* Its prepare returns DP_ERR_CORRUPT unless the model holds rows. */
extern const DpSampler dp_row_release_sampler;

#endif
