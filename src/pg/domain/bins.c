/*
 * bins.c -- drawing a value inside a bin, uniformly, in the column's type: integers stay integers,
 * timestamps and numerics keep their precision.
 *
 * Values of types that are integers underneath (and of numeric, which is an integer number of
 * 10^-scale) are drawn as whole steps between two edges, floating point as lo + u (hi - lo). The
 * edges are public and the codes of the bins are released, so all of this is post-processing.
 */
#include "pg/domain/bins.h"

#include <float.h>
#include <math.h>

#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "pg/server/values.h"

/* A scaled numeric edge must fit an int64 with space to spare. */
#define NUMERIC_STEPS_MAX 4e18

struct DpBins
{
	Oid type;     /* base type */
	uint32 n;     /* bins */
	int scale;    /* numeric: digits after the point */
	int64 unit;   /* steps of the type's precision, as in timestamp(0) and numeric(5,-2) */
	int64 *step;  /* [n + 1] edges of all other types */
	double *real; /* [n + 1] edges of floating point */
};

/* ---- edges ---- */

static int
numeric_scale_of(Datum value)
{
	char *point = strchr(DatumGetCString(DirectFunctionCall1(numeric_out, value)), '.');

	return point ? (int) strlen(point + 1) : 0;
}

static int
numeric_scale_of_typmod(int32 typmod)
{
	/* as numeric.c packs it: 11 bits, signed */
	return (((typmod - VARHDRSZ) & 0x7ff) ^ 1024) - 1024;
}

static bool
numeric_is_drawable(Datum edge, int scale)
{
	double value = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, edge));

	return isfinite(value) && fabs(value) * pow(10, scale) < NUMERIC_STEPS_MAX;
}

bool
dp_edge_is_drawable(Datum edge, Oid type, int32 typmod)
{
	switch (getBaseTypeAndTypmod(type, &typmod))
	{
		case FLOAT4OID:
			return isfinite(DatumGetFloat4(edge));
		case FLOAT8OID: /* the width of a bin must be finite too */
			return fabs(DatumGetFloat8(edge)) <= DBL_MAX / 2;
		case NUMERICOID:
			return numeric_is_drawable(edge, typmod >= VARHDRSZ
												 ? Max(numeric_scale_of_typmod(typmod), 0)
												 : numeric_scale_of(edge));
		case DATEOID:
			return !DATE_NOT_FINITE(DatumGetDateADT(edge));
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return !TIMESTAMP_NOT_FINITE(DatumGetTimestamp(edge));
		default:
			return true;
	}
}

static int64
numeric_steps(Datum edge, int scale)
{
	Datum power = DirectFunctionCall3(numeric_in, CStringGetDatum(psprintf("1e%d", scale)),
									  ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));

	return DatumGetInt64(
		DirectFunctionCall1(numeric_int8, DirectFunctionCall2(numeric_mul, edge, power)));
}

static void
edges_read(DpBins *bins, const Datum *edges)
{
	bins->step = palloc(sizeof(int64) * (bins->n + 1));
	bins->real = palloc(sizeof(double) * (bins->n + 1));
	for (uint32 i = 0; i <= bins->n; i++)
	{
		if (bins->type == FLOAT4OID)
			bins->real[i] = DatumGetFloat4(edges[i]);
		else if (bins->type == FLOAT8OID)
			bins->real[i] = DatumGetFloat8(edges[i]);
		else if (bins->type == NUMERICOID)
			bins->step[i] = numeric_steps(edges[i], bins->scale);
		else
			bins->step[i] = dp_value_word(edges[i], bins->type);
	}
}

static int64
power_of_ten(int digits)
{
	int64 power = 1;

	while (digits-- > 0 && power < PG_INT64_MAX / 10)
		power *= 10;
	return power;
}

static int64
step_unit(Oid type, int32 typmod)
{
	if ((type == TIMESTAMPOID || type == TIMESTAMPTZOID) && typmod >= 0)
		return power_of_ten(6 - typmod);
	if (type == NUMERICOID && typmod >= (int32) VARHDRSZ)
		return power_of_ten(-numeric_scale_of_typmod(typmod));
	return 1;
}

DpBins *
dp_bins_create(const DpAttribute *attribute, Oid type, int32 typmod)
{
	DpBins *bins = palloc0(sizeof(DpBins));
	Datum *edges = palloc(sizeof(Datum) * attribute->labels_n);

	bins->type = getBaseTypeAndTypmod(type, &typmod);
	if (!dp_type_has_bins(type))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" is modelled in bins of %s and cannot be drawn as %s",
						attribute->name, attribute->type, format_type_be(type)),
				 errhint("Draw it into a row type whose column is a number, date or timestamp.")));
	bins->n = attribute->labels_n - 1;
	bins->unit = step_unit(bins->type, typmod);
	for (uint32 i = 0; i <= bins->n; i++)
	{
		edges[i] = dp_value_in(attribute->labels[i], bins->type, typmod);
		if (bins->type == NUMERICOID && typmod < (int32) VARHDRSZ)
			bins->scale = Max(bins->scale, numeric_scale_of(edges[i]));
	}
	if (bins->type == NUMERICOID && typmod >= (int32) VARHDRSZ)
		bins->scale = Max(numeric_scale_of_typmod(typmod), 0);
	for (uint32 i = 0; bins->type == NUMERICOID && i <= bins->n; i++)
		if (!numeric_is_drawable(edges[i], bins->scale))
			ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
							errmsg("bins of column \"%s\" are too large for their precision",
								   attribute->name)));
	edges_read(bins, edges);
	return bins;
}

/* The step, or the real number, at which a text stands. */
static void
read_end(const DpBins *bins, const char *text, int64 *step, double *real)
{
	Datum edge = dp_value_in(text, bins->type, -1);

	*step = 0;
	*real = 0;
	if (bins->type == FLOAT4OID)
		*real = DatumGetFloat4(edge);
	else if (bins->type == FLOAT8OID)
		*real = DatumGetFloat8(edge);
	else if (bins->type == NUMERICOID)
		*step = numeric_steps(edge, bins->scale);
	else
		*step = dp_value_word(edge, bins->type);
}

/* An edge inside of the range moves to the end of the range. The bin on its other side is not
 * drawn. */
void
dp_bins_restrict(DpBins *bins, const char *low, const char *high, bool closed)
{
	bool real = bins->type == FLOAT4OID || bins->type == FLOAT8OID;
	int64 step;
	double value;

	for (uint32 i = bins->n; low != NULL && i-- > 0;)
	{
		read_end(bins, low, &step, &value);
		if (real ? value > bins->real[i] && value < bins->real[i + 1]
				 : step > bins->step[i] && step < bins->step[i + 1])
		{
			bins->step[i] = step;
			bins->real[i] = value;
		}
	}
	for (uint32 i = 0; high != NULL && i < bins->n; i++)
	{
		bool last = i + 1 == bins->n;

		read_end(bins, high, &step, &value);
		step += closed ? bins->unit : 0;
		if (real ? value > bins->real[i] && value < bins->real[i + 1]
				 : step > bins->step[i] && step < bins->step[i + 1])
		{
			bins->step[i + 1] = step - (last ? bins->unit : 0); /* the last bin is closed */
			bins->real[i + 1] = value;
		}
	}
}

/* ---- drawing ---- */

static int64
draw_step(const DpBins *bins, uint32 i, DpPrng *prng)
{
	uint64 width = (uint64) bins->step[i + 1] - (uint64) bins->step[i];
	uint64 steps = width / bins->unit;
	uint64 drawn;

	if (i + 1 == bins->n && steps < PG_UINT64_MAX)
		steps++; /* the last bin is closed */
	drawn = dp_prng_below(prng, Max(steps, 1));
	return (int64) ((uint64) bins->step[i] + drawn * (uint64) bins->unit);
}

static double
draw_real(const DpBins *bins, uint32 i, DpPrng *prng)
{
	double low = bins->real[i];
	double value = low + dp_prng_unit(prng) * (bins->real[i + 1] - low);

	if (bins->type == FLOAT4OID)
		value = (float) value;
	/* rounding may reach the upper edge, which belongs to the next bin */
	return value < bins->real[i + 1] ? value : low;
}

static Datum
step_value(const DpBins *bins, int64 step)
{
	switch (bins->type)
	{
		case NUMERICOID:
			return NumericGetDatum(int64_div_fast_to_numeric(step, bins->scale));
		case INT2OID:
			return Int16GetDatum((int16) step);
		case INT4OID:
		case DATEOID:
			return Int32GetDatum((int32) step);
		default: /* bigint, timestamp, timestamptz */
			return Int64GetDatum(step);
	}
}

Datum
dp_bins_draw(const DpBins *bins, uint32 i, DpPrng *prng)
{
	switch (bins->type)
	{
		case FLOAT4OID:
			return Float4GetDatum((float) draw_real(bins, i, prng));
		case FLOAT8OID:
			return Float8GetDatum(draw_real(bins, i, prng));
		default:
			return step_value(bins, draw_step(bins, i, prng));
	}
}

/* ---- for rules ---- */

#define MILLIONTHS 1e6

/* What one step is. */
static double
step_millionths(const DpBins *bins)
{
	switch (bins->type)
	{
		case NUMERICOID:
			return pow(10, 6 - bins->scale);
		case DATEOID:
			return (double) USECS_PER_DAY;
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return 1;
		default:
			return MILLIONTHS;
	}
}

/* The last step of a bin. */
static int64
last_step(const DpBins *bins, uint32 i)
{
	uint64 width = (uint64) bins->step[i + 1] - (uint64) bins->step[i];
	uint64 steps = width / bins->unit;

	if (i + 1 < bins->n && steps > 0)
		steps--;
	return (int64) ((uint64) bins->step[i] + steps * (uint64) bins->unit);
}

/* Rounding must not cut off a value: only integers that a double holds are left as they are. */
static DpInterval
outward(double low, double high)
{
	if (fabs(low) <= 9007199254740992.0 && floor(low) == low && fabs(high) <= 9007199254740992.0 &&
		floor(high) == high)
		return (DpInterval){low, high};
	return (DpInterval){low - fabs(low) * 1e-15, high + fabs(high) * 1e-15};
}

static bool
is_real(const DpBins *bins)
{
	return bins->type == FLOAT4OID || bins->type == FLOAT8OID;
}

DpInterval
dp_bins_interval(const DpBins *bins, uint32 i)
{
	double step = step_millionths(bins);

	if (is_real(bins))
		return outward(bins->real[i] * MILLIONTHS, bins->real[i + 1] * MILLIONTHS);
	return outward((double) bins->step[i] * step, (double) last_step(bins, i) * step);
}

static bool
real_within(const DpBins *bins, uint32 i, DpInterval within, DpPrng *prng, Datum *value)
{
	double low = Max(within.low / MILLIONTHS, bins->real[i]);
	double high = Min(within.high / MILLIONTHS, bins->real[i + 1]);
	double drawn = low + dp_prng_unit(prng) * (high - low);

	if (low > high)
		return false;
	if (i + 1 < bins->n && drawn >= bins->real[i + 1])
		drawn = low;
	*value = bins->type == FLOAT4OID ? Float4GetDatum((float) drawn) : Float8GetDatum(drawn);
	return true;
}

bool
dp_bins_draw_within(const DpBins *bins, uint32 i, DpInterval within, DpPrng *prng, Datum *value)
{
	double unit = step_millionths(bins) * (double) bins->unit;
	int64 from = bins->step[i];
	uint64 last = ((uint64) last_step(bins, i) - (uint64) from) / (uint64) bins->unit;
	double low;
	double high;
	uint64 first = 0;

	if (is_real(bins))
		return real_within(bins, i, within, prng, value);
	/* in steps from the lower edge; a bound that a double does not hold is moved outward */
	low = ceil((within.low - (double) from * step_millionths(bins)) / unit - 1e-9);
	high = floor((within.high - (double) from * step_millionths(bins)) / unit + 1e-9);
	if (low > 0)
		first = low >= (double) PG_INT64_MAX ? PG_INT64_MAX : (uint64) low;
	if (high < 0 || first > last)
		return false;
	if (high < (double) last)
		last = (uint64) high;
	if (first > last)
		return false;
	if (first > 0 || last < PG_UINT64_MAX)
		first += dp_prng_below(prng, last - first + 1);
	*value = step_value(bins, (int64) ((uint64) from + first * (uint64) bins->unit));
	return true;
}
