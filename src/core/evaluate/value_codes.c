/*
 * value_codes.c -- numbers for the values of a column as they are seen.
 *
 * Slots are at most a quarter full: a probe that meets another value costs more than the memory. It
 * runs for each value of each row, so before it stands a small table of the values seen last, which
 * compares a text of up to 24 bytes word by word.
 */
#include "core/evaluate/value_codes.h"

#include <math.h>
#include <string.h>

#include "core/base/sort.h"

#define CAPACITY_FIRST 64
#define SLOTS 4 /* a value */
#define ARRAYS 3
#define BYTES_FIRST 512
#define FACTOR_A UINT64_C(0x9e3779b97f4a7c15)
#define FACTOR_B UINT64_C(0xd6e8feb86659fd93)

/* The two halves of a product of 128 bits, folded: every bit of both factors counts (as in wyhash).
 * One multiplication, since it runs for each value of each row. */
static inline uint32_t
hash_words(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128) (a ^ FACTOR_A) * (b ^ FACTOR_B);

	return (uint32_t) ((uint64_t) product ^ (uint64_t) (product >> 64));
}

static uint32_t
hash_number(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return hash_words(bits, 0);
}

/* at: the bytes of the text, of which what is between first and last is read. */
static inline uint32_t
hash_text(const DpValueWords *words, const char *at)
{
	uint64_t middle = words->length;

	for (uint32_t i = 8; i + 8 < words->length; i += 8)
		middle = hash_words(middle, dp_load_8(at + i)) + (middle << 32);
	return hash_words(words->first, words->last ^ middle);
}

/* One number for all that are equal, also for all that are none. */
static double
normal_number(double number)
{
	if (number == 0)
		return 0;
	return isnan(number) ? NAN : number;
}

/* ---- memory ---- */

/* The arrays that have an element a value, so that they grow together. */
static void
arrays_of(DpValueCodes *values, void **array[ARRAYS], size_t size[ARRAYS])
{
	array[0] = values->texts ? (void **) &values->text : (void **) &values->number;
	size[0] = values->texts ? sizeof(*values->text) : sizeof(*values->number);
	array[1] = (void **) &values->rows[0];
	array[2] = (void **) &values->rows[1];
	size[1] = size[2] = sizeof(int64_t);
}

static uint32_t
hash_of(const DpValueCodes *values, uint32_t code)
{
	DpValueWords words;
	DpText text;

	if (!values->texts)
		return hash_number(values->number[code]);
	text = (DpText){values->bytes + values->text[code].at, values->text[code].length};
	words = dp_words_of_text(text);
	return hash_text(&words, text.at);
}

static DpStatus
grow_slots(DpValueCodes *values, uint32_t capacity)
{
	DpSlotTable grown;

	DP_TRY(dp_slots_init(&grown, capacity, SLOTS, values->arena));
	for (uint32_t code = 1; code < values->n; code++)
		*dp_slot_new(&grown, hash_of(values, code)) = code;
	dp_slots_free(&values->table, values->arena);
	values->table = grown;
	return DP_OK;
}

static DpStatus
grow(DpValueCodes *values, uint32_t capacity)
{
	void **array[ARRAYS];
	size_t size[ARRAYS];
	void *grown[ARRAYS];
	bool enough = true;

	if (capacity == 0 || capacity > UINT32_MAX / 2 / SLOTS)
		return DP_ERR_MEMORY;
	arrays_of(values, array, size);
	for (int i = 0; i < ARRAYS; i++)
	{
		grown[i] = dp_alloc(values->arena, capacity, size[i]);
		enough = enough && grown[i] != NULL;
	}
	enough = enough && grow_slots(values, capacity) == DP_OK;
	for (int i = 0; i < ARRAYS; i++)
	{
		if (!enough)
		{
			dp_free(values->arena, grown[i], capacity, size[i]);
			continue;
		}
		if (values->n > 0)
			memcpy(grown[i], *array[i], values->n * size[i]);
		dp_free(values->arena, *array[i], values->capacity, size[i]);
		*array[i] = grown[i];
	}
	values->capacity = enough ? capacity : values->capacity;
	return enough ? DP_OK : DP_ERR_MEMORY;
}

static DpStatus
grow_bytes(DpValueCodes *values, uint32_t length)
{
	uint64_t capacity = values->bytes_capacity == 0 ? BYTES_FIRST : values->bytes_capacity;
	char *grown;

	while (capacity < values->bytes_n + length)
		capacity *= 2;
	if (capacity == values->bytes_capacity)
		return DP_OK;
	grown = dp_alloc(values->arena, capacity, 1);
	DP_TRY_ALLOC(grown);
	if (values->bytes_n > 0)
		memcpy(grown, values->bytes, values->bytes_n);
	dp_free(values->arena, values->bytes, values->bytes_capacity, 1);
	values->bytes = grown;
	values->bytes_capacity = capacity;
	return DP_OK;
}

DpStatus
dp_value_codes_init(DpValueCodes *values, bool texts, DpArena *arena)
{
	*values = (DpValueCodes){.arena = arena, .texts = texts};
	values->seen = dp_alloc(arena, DP_VALUES_SEEN, sizeof(*values->seen));
	DP_TRY_ALLOC(values->seen);
	DP_TRY(grow(values, CAPACITY_FIRST));
	values->n = 1; /* NULL */
	return DP_OK;
}

void
dp_value_codes_free(DpValueCodes *values)
{
	void **array[ARRAYS];
	size_t size[ARRAYS];

	if (values->arena == NULL)
		return;
	arrays_of(values, array, size);
	for (int i = 0; i < ARRAYS; i++)
		dp_free(values->arena, *array[i], values->capacity, size[i]);
	dp_slots_free(&values->table, values->arena);
	dp_free(values->arena, values->bytes, values->bytes_capacity, 1);
	dp_free(values->arena, values->seen, DP_VALUES_SEEN, sizeof(*values->seen));
	*values = (DpValueCodes){.arena = NULL};
}

uint64_t
dp_value_codes_bytes(const DpValueCodes *values)
{
	size_t each = values->texts ? sizeof(*values->text) : sizeof(*values->number);

	return values->capacity * (each + 2 * sizeof(int64_t) + SLOTS * sizeof(uint32_t)) +
		   values->bytes_capacity + DP_VALUES_SEEN * sizeof(*values->seen);
}

/* ---- values ---- */

/* Takes a new number, for a value whose own array the caller fills. */
static DpStatus
take(DpValueCodes *values, uint32_t hash, uint32_t *code)
{
	if (values->n == values->capacity)
		DP_TRY(grow(values, values->capacity * 2));
	*code = values->n++;
	*dp_slot_new(&values->table, hash) = *code;
	return DP_OK;
}

static inline bool
is_number(const void *list, uint32_t entry, const void *sought)
{
	const DpValueCodes *values = list;

	return memcmp(&values->number[entry + 1], sought, sizeof(double)) == 0;
}

/* ---- rounding ---- */

#define ROUND_BITS 12
#define ROUND_BITS_LEAST 4

void
dp_value_codes_round(DpValueCodes *values, uint32_t exact_max)
{
	values->exact_max = exact_max;
}

/* The finite number at a place, 0 to 1, of those that are known in their order. */
static double
number_at(const DpValueCodes *values, const uint64_t *order, double place)
{
	uint32_t first = 0, end = values->n - 1;

	while (first < end && !isfinite(values->number[order[first]]))
		first++;
	while (end > first && !isfinite(values->number[order[end - 1]]))
		end--;
	return first == end ? 0 : values->number[order[first + (uint32_t) (place * (end - first - 1))]];
}

static DpStatus
begin_rounding(DpValueCodes *values)
{
	uint64_t *order = dp_alloc(values->arena, values->n, sizeof(*order));
	double spread;

	DP_TRY_ALLOC(order);
	DP_TRY(dp_value_codes_order(values, order, values->arena));
	values->centre = number_at(values, order, 0.5);
	spread = number_at(values, order, 0.75) - number_at(values, order, 0.25);
	values->scale = isfinite(spread) && spread > 0 ? spread : 1;
	/* about four spreads hold most numbers */
	values->bits = ROUND_BITS;
	while (values->bits > ROUND_BITS_LEAST && UINT32_C(4) << values->bits > values->exact_max)
		values->bits--;
	values->rounded_from = values->n;
	dp_free(values->arena, order, values->n, sizeof(*order));
	return DP_OK;
}

static double
rounded_number(const DpValueCodes *values, double number)
{
	double steps = ldexp(asinh((number - values->centre) / values->scale), values->bits);
	double rounded = values->centre + values->scale * sinh(ldexp(rint(steps), -values->bits));

	return isfinite(rounded) ? normal_number(rounded) : number;
}

/* The code of a number that is known; 0: it is not. */
static uint32_t
find_number(const DpValueCodes *values, double number, uint32_t hash)
{
	return *dp_slot_find(&values->table, hash, is_number, values, &number);
}

DpStatus
dp_value_codes_number(DpValueCodes *values, double number, uint32_t *code)
{
	uint32_t hash;

	number = normal_number(number);
	hash = hash_number(number);
	*code = find_number(values, number, hash);
	if (*code != 0)
		return DP_OK;
	if (values->exact_max > 0 && values->n > values->exact_max && isfinite(number))
	{
		if (values->rounded_from == 0)
			DP_TRY(begin_rounding(values));
		if (values->n - values->rounded_from > values->exact_max && values->bits > ROUND_BITS_LEAST)
		{
			values->bits--;
			values->rounded_from = values->n;
		}
		number = rounded_number(values, number);
		hash = hash_number(number);
		*code = find_number(values, number, hash);
		if (*code != 0)
			return DP_OK;
	}
	DP_TRY(take(values, hash, code));
	values->number[*code] = number;
	return DP_OK;
}

static DpStatus
add_text(DpValueCodes *values, DpText text, uint32_t hash, uint32_t *code)
{
	DP_TRY(grow_bytes(values, text.length));
	DP_TRY(take(values, hash, code));
	memcpy(values->bytes + values->bytes_n, text.at, text.length);
	values->text[*code] = (DpValueText){values->bytes_n, text.length};
	values->bytes_n += text.length;
	return DP_OK;
}

static inline bool
is_text(const void *list, uint32_t entry, const void *sought)
{
	const DpValueCodes *values = list;
	const DpValueText *there = &values->text[entry + 1];
	const DpText *text = sought;

	return there->length == text->length &&
		   memcmp(values->bytes + there->at, text->at, text->length) == 0;
}

DpStatus
dp_value_codes_seek_text(DpValueCodes *values, DpText text, uint32_t *code)
{
	DpValueWords words = dp_words_of_text(text);
	uint32_t hash = hash_text(&words, text.at);
	DpValueWords *seen = dp_value_codes_seen(values, &words);

	*code = *dp_slot_find(&values->table, hash, is_text, values, &text);
	if (*code == 0)
		DP_TRY(add_text(values, text, hash, code));
	*seen = words;
	seen->code = *code;
	return DP_OK;
}

void
dp_value_codes_count(DpValueCodes *values, uint32_t side, const uint32_t *code, uint32_t rows)
{
	for (uint32_t i = 0; i < rows; i++)
		values->rows[side][code[i]]++;
}

/* ---- order ---- */

static bool
number_before(const void *context, uint64_t a, uint64_t b)
{
	const DpValueCodes *values = context;

	if (isnan(values->number[a]) || isnan(values->number[b]))
		return !isnan(values->number[a]);
	return values->number[a] < values->number[b];
}

static bool
text_before(const void *context, uint64_t a, uint64_t b)
{
	const DpValueCodes *values = context;
	const DpValueText *first = &values->text[a];
	const DpValueText *second = &values->text[b];
	uint32_t common = first->length < second->length ? first->length : second->length;
	int order = memcmp(values->bytes + first->at, values->bytes + second->at, common);

	return order != 0 ? order < 0 : first->length < second->length;
}

DpStatus
dp_value_codes_order(const DpValueCodes *values, uint64_t *order, DpArena *arena)
{
	for (uint32_t i = 1; i < values->n; i++)
		order[i - 1] = i;
	return dp_sort_indexes(order, values->n - 1, values->texts ? text_before : number_before,
						   values, arena);
}
