/*
 * bins.h -- drawing a value inside a bin. Runs on the caller's side of the wall.
 */
#ifndef DPSYN_BINS_H
#define DPSYN_BINS_H

#include "pg/server/compat.h"

#include "core/base/prng.h"
#include "core/domain/domain.h"
#include "core/domain/rule.h"

/*
 * Whether bins of such a type can end at this value: it is finite, and small enough to draw below.
 */
extern bool dp_edge_is_drawable(Datum edge, Oid type, int32 typmod);

typedef struct DpBins DpBins;

/* The bins of an attribute, to be drawn as values of a column. ERROR if the column's type has no
 * bins, or cannot hold their edges. */
extern DpBins *dp_bins_create(const DpAttribute *attribute, Oid type, int32 typmod);
/* Draws no value outside of a range from now on, where bins are drawn that meet it. low and high
 * are texts of the attribute's type; NULL: no end. closed: whether high belongs to the range. */
extern void dp_bins_restrict(DpBins *bins, const char *low, const char *high, bool closed);
/* A uniform value of bin i, which is closed below and, but for the last bin, open above. */
extern Datum dp_bins_draw(const DpBins *bins, uint32 i, DpPrng *prng);

/* ---- for rules, in millionths of 1, or microseconds ---- */

/* The numbers that bin i holds. */
extern DpInterval dp_bins_interval(const DpBins *bins, uint32 i);
/* A uniform value of bin i within an interval; false: it holds none. */
extern bool dp_bins_draw_within(const DpBins *bins, uint32 i, DpInterval within, DpPrng *prng,
								Datum *value);

#endif
