/*
 * fitted.h -- models that were fitted in this session, and rows that were drawn from them, kept for
 * the next query or sample.
 *
 * Post-processing: runs in the caller's backend, on what was released. A fit is found by the bytes
 * of the stored model, which the caller's rights have let it read, so that keeping one gives nobody
 * anything.
 */
#ifndef DPSYN_FITTED_H
#define DPSYN_FITTED_H

#include "pg/server/compat.h"

#include "core/sample/monte_carlo.h"
#include "core/sample/raking.h"
#include "pg/sample/store.h"

/* What trials of one size have found of the rows of a table below the root. */
typedef struct DpTrials
{
	DpRaking *raking;
	bool are_done;
} DpTrials;

typedef struct DpFitted
{
	DpModel model;      /* of one replicate */
	const void *fitted; /* by the query of the method's sampler; NULL: it cannot be asked */
	DpMonteCarlo drawn; /* of dp_drawn_get alone */
	DpTrials *trials;   /* [DP_RAKING_SIZES] */
	DpArena *arena;     /* as long as the fit is kept */
} DpFitted;

/*
 * The fit of one set, which counts from 1, of a stored release. It stays until the current memory
 * context ends. Up to maintenance_work_mem of fits are kept for the session.
 */
extern const DpFitted *dp_fitted_get(const DpStored *stored, uint32 set, const DpTick *tick);
/* The same with rows that were drawn from the model, in place of a fit. */
extern const DpFitted *dp_drawn_get(const DpStored *stored, uint32 set, const DpTick *tick);
/*
 * The same with rows that the caller draws, where they are not kept yet: make fills model and drawn
 * of the set, with memory from arena.
 */
typedef struct DpDrawnMaker
{
	void (*make)(void *context, DpFitted *fitted, DpArena *arena);
	void *context;
} DpDrawnMaker;
extern const DpFitted *dp_drawn_get_made(const DpStored *stored, uint32 set, DpDrawnMaker maker);
/* Whether such rows of all sets are kept together: they take maintenance_work_mem at most. */
extern bool dp_drawn_is_kept(const DpStored *stored);

#endif
