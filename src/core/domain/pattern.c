/*
 * pattern.c -- texts for columns that are not modelled. A brace that opens nothing known stands for
 * itself, so '{}' is the empty array and the empty object.
 */
#include "core/domain/pattern.h"

#include <string.h>

#include "core/domain/check_digits.h"
#include "core/domain/number_shuffle.h"

#define NUMBER_BYTES 20 /* digits of 2^64 - 1 */
#define UUID_BYTES 36
#define LETTER_BYTES 4 /* of a character */
/* So that texts are the same where some rows are NULL. */
#define MISSING_STREAM UINT64_C(0xa0761d6478bd642f)

typedef enum PieceKind
{
	TEXT,
	NUMBER,
	PLACE,
	UUID,
	LETTERS,
	CHECK, /* digits that follow from the rest */
	MISSING,
	COLUMN
} PieceKind;

typedef struct Letter
{
	unsigned char bytes;
	char byte[LETTER_BYTES];
} Letter;

typedef struct Piece
{
	PieceKind kind;
	const char *text; /* as in the pattern; of letters the part between the brackets */
	size_t bytes;
	int count; /* minimal digits of a number, number of letters, or percent of rows */
	DpCheckDigits check;
	bool numbered; /* letters that encode the row number */
	/* of letters, once the pattern is read */
	uint32_t letters;
	Letter *letter;
} Piece;

struct DpPattern
{
	size_t pieces;
	Piece *piece;
	uint64_t capacity; /* different row numbers that its numbered letters can encode */
	uint32_t choices;  /* values of a list; a list has no pieces */
	char **choice;
	size_t checked; /* the piece of check digits, and one; 0: there is none */
	bool draws;     /* a text takes random numbers, besides that of its row */
	uint32_t columns;
	char **column;
};

static bool
begins(const char *text, const char *word)
{
	return strncmp(text, word, strlen(word)) == 0;
}

/* ---- letters ---- */

/* The bytes of the character at the beginning of a text: of UTF-8, or one. */
static size_t
character_bytes(const char *at)
{
	unsigned char first = (unsigned char) at[0];
	size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;

	for (size_t i = 1; i < bytes; i++)
		if (((unsigned char) at[i] & 0xc0) != 0x80)
			return 1;
	return bytes;
}

static uint32_t
code_point(const char *at, size_t bytes)
{
	uint32_t code = (unsigned char) at[0];

	if (bytes > 1)
		code &= 0xffu >> (bytes + 1);
	for (size_t i = 1; i < bytes; i++)
		code = code << 6 | ((unsigned char) at[i] & 0x3f);
	return code;
}

static Letter
letter_of(uint32_t code, size_t bytes)
{
	Letter letter = {.bytes = (unsigned char) bytes};

	for (size_t i = bytes; i-- > 1; code >>= 6)
		letter.byte[i] = (char) (0x80 | (code & 0x3f));
	letter.byte[0] =
		(char) (bytes == 1 ? code : ((0xf00u >> bytes) & 0xff & ~(0xffu >> bytes)) | code);
	return letter;
}

/* Bytes of a code point. */
static size_t
code_bytes(uint32_t code)
{
	return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

/*
 * Returns the number of characters that a bracket expression lists, where a-z is a range and \
 * escapes a character; 0 if it is not valid. letter: receives the characters, unless NULL.
 */
static uint32_t
letters_read(const char *at, size_t bytes, Letter *letter)
{
	const char *end = at + bytes;
	uint32_t n = 0;

	while (at < end)
	{
		size_t width;
		uint32_t low, high;

		if (*at == '\\' && ++at == end)
			return 0;
		width = character_bytes(at);
		low = high = code_point(at, width);
		at += width;
		if (at + 1 < end && *at == '-')
		{
			at += at[1] == '\\' && at + 2 < end ? 2 : 1;
			if (character_bytes(at) > 1 || width == 1)
				width = 0; /* each by that code */
			high = code_point(at, character_bytes(at));
			at += character_bytes(at);
		}
		if (high < low || high - low >= DP_PATTERN_LETTERS_MAX ||
			n + (high - low) >= DP_PATTERN_LETTERS_MAX)
			return 0;
		for (uint32_t code = low; code <= high; code++, n++)
			if (letter != NULL)
				letter[n] = letter_of(code, low == high && width > 0 ? width : code_bytes(code));
	}
	return n;
}

/* ---- pieces ---- */

/* Reads a number after a colon and the brace after it. Returns the bytes of both, or 0. */
static size_t
count_at(const char *text, int most, int *count)
{
	const char *at = text;

	*count = 0;
	if (*at < '1' || *at > '9')
		return 0;
	for (; *at >= '0' && *at <= '9' && *count <= most; at++)
		*count = *count * 10 + (*at - '0');
	return *at == '}' && *count <= most ? (size_t) (at - text) + 1 : 0;
}

/* The bytes of {[a-z]}, {[a-z]:5} or {n:[a-z]:5} at the beginning of a text; 0: another text. */
static size_t
letters_at(const char *text, Piece *piece)
{
	const char *at = text + 1;
	size_t count;

	*piece = (Piece){.kind = LETTERS, .count = 1, .numbered = begins(at, "n:")};
	at += piece->numbered ? 2 : 0;
	if (*at != '[')
		return 0;
	piece->text = ++at;
	for (; *at != ']'; at++)
		if (*at == '\0' || (*at == '\\' && *++at == '\0'))
			return 0;
	piece->bytes = (size_t) (at - piece->text);
	if (letters_read(piece->text, piece->bytes, NULL) == 0)
		return 0;
	at++;
	if (*at == '}')
		return (size_t) (at - text) + 1;
	count = *at == ':' ? count_at(at + 1, DP_PATTERN_LETTERS_MAX, &piece->count) : 0;
	return count > 0 ? (size_t) (at - text) + 1 + count : 0;
}

/* The same for a word in braces that may be the name of a column. */
static size_t
column_at(const char *text, Piece *piece)
{
	size_t bytes = strcspn(text + 1, "{}\"[:,\\");

	*piece = (Piece){.kind = COLUMN, .text = text + 1, .bytes = bytes};
	return bytes > 0 && text[bytes + 1] == '}' ? bytes + 2 : 0;
}

/* The same for {check:luhn}, and for {null:30}. */
static size_t
check_at(const char *text, Piece *piece)
{
	const char *name = text + strlen("{check:");
	size_t bytes;

	if (begins(text, "{null:"))
	{
		*piece = (Piece){.kind = MISSING};
		text += strlen("{null:");
		bytes = begins(text, "0}") ? strlen("0}") : count_at(text, 100, &piece->count);
		return bytes > 0 ? bytes + strlen("{null:") : 0;
	}
	if (!begins(text, "{check:"))
		return 0;
	bytes = strcspn(name, "}");
	*piece = (Piece){.kind = CHECK, .check = dp_check_digits_named(name, bytes)};
	return piece->check != DP_CHECK_NONE && name[bytes] == '}' ? (size_t) (name - text) + bytes + 1
															   : 0;
}

/* The same for any placeholder. */
static size_t
special_at(const char *text, Piece *piece)
{
	size_t bytes;

	*piece = (Piece){.kind = NUMBER};
	if (*text != '{')
		return 0;
	if (begins(text, DP_PATTERN_NUMBER))
		return strlen(DP_PATTERN_NUMBER);
	bytes = begins(text, "{n:") ? count_at(text + 3, DP_PATTERN_DIGITS_MAX, &piece->count) : 0;
	if (bytes > 0)
		return bytes + 3;
	piece->kind = begins(text, DP_PATTERN_PLACE) ? PLACE : UUID;
	if (begins(text, DP_PATTERN_PLACE))
		return strlen(DP_PATTERN_PLACE);
	if (begins(text, DP_PATTERN_UUID))
		return strlen(DP_PATTERN_UUID);
	bytes = letters_at(text, piece);
	if (bytes == 0)
		bytes = check_at(text, piece);
	return bytes > 0 ? bytes : column_at(text, piece);
}

/* Reads a piece at the beginning of a text that is not empty, and returns its bytes. */
static size_t
piece_at(const char *text, Piece *piece)
{
	size_t bytes = special_at(text, piece);
	Piece next;

	if (bytes > 0)
		return bytes;
	*piece = (Piece){.kind = TEXT, .text = text};
	do
		piece->bytes++;
	while (text[piece->bytes] != '\0' && special_at(text + piece->bytes, &next) == 0);
	return piece->bytes;
}

/* ---- lists ---- */

/*
 * Reads the value of a list at the beginning of a text. Returns its bytes, or 0 if there is none.
 * value: receives the value, unless NULL.
 */
static size_t
choice_at(const char *text, char *value)
{
	const char *at = text;
	size_t length = 0, blanks = 0;
	bool quoted;

	while (*at == ' ')
		at++;
	quoted = *at == '"';
	at += quoted;
	for (; quoted ? *at != '"' : *at != ',' && *at != '}'; at++)
	{
		if (*at == '\\')
			at++;
		else if (!quoted && strchr("{\"", *at) != NULL)
			return 0; /* the end of the text, too */
		if (*at == '\0')
			return 0;
		blanks = *at == ' ' ? blanks + 1 : 0;
		if (value != NULL)
			value[length] = *at;
		length++;
	}
	at += quoted;
	while (*at == ' ')
		at++;
	if (value != NULL)
		value[length - (quoted ? 0 : blanks)] = '\0';
	return quoted || length > blanks ? (size_t) (at - text) : 0;
}

/* The number of values of a list; 0 if the text is not a list. */
static uint32_t
list_values(const char *pattern, DpPattern *read)
{
	const char *at = pattern + 1;
	uint32_t n = 0;
	bool quoted = *pattern == '{' && *at == '"';
	Piece piece;

	if (*pattern != '{' || letters_at(pattern, &piece) > 0)
		return 0;
	for (;; at++)
	{
		size_t bytes = choice_at(at, read == NULL ? NULL : read->choice[n]);

		if (bytes == 0 || n == UINT32_MAX)
			return 0;
		if (read != NULL && n + 1 < read->choices)
			read->choice[n + 1] = read->choice[n] + strlen(read->choice[n]) + 1;
		n++;
		at += bytes;
		if (*at != ',')
			break;
	}
	return at[0] == '}' && at[1] == '\0' && (n > 1 || quoted) ? n : 0;
}

bool
dp_pattern_is_list(const char *pattern)
{
	return list_values(pattern, NULL) > 0;
}

size_t
dp_pattern_quote(const char *value, bool always, char *to)
{
	bool plain = !always && *value != '\0' && *value != ' ' && value[strlen(value) - 1] != ' ' &&
				 value[strcspn(value, "{}\",\\[")] == '\0';
	size_t length = 0;

	if (!plain)
		to[length++] = '"';
	for (; *value; value++)
	{
		if (*value == '"' || *value == '\\')
			to[length++] = '\\';
		to[length++] = *value;
	}
	if (!plain)
		to[length++] = '"';
	to[length] = '\0';
	return length;
}

/* ---- what a text says ---- */

static uint64_t
power(uint64_t capacity, uint32_t letters, int count)
{
	for (int i = 0; i < count && capacity != UINT64_MAX; i++)
		capacity = capacity > UINT64_MAX / letters ? UINT64_MAX : capacity * letters;
	return capacity;
}

static void
add_piece(const Piece *piece, DpPatternFacts *facts, uint64_t *product)
{
	switch (piece->kind)
	{
		case TEXT:
			facts->bytes += piece->bytes;
			return;
		case NUMBER:
			facts->unique = true;
			if (piece->count > 0 && (facts->digits == 0 || piece->count < facts->digits))
				facts->digits = piece->count;
			facts->bytes += NUMBER_BYTES;
			break;
		case PLACE:
			facts->place = true;
			facts->bytes += NUMBER_BYTES;
			break;
		case UUID:
			facts->unique = facts->random = true;
			facts->bytes += UUID_BYTES;
			break;
		case LETTERS:
			facts->letters = facts->random = true;
			facts->bytes += LETTER_BYTES * (size_t) piece->count;
			if (piece->numbered)
			{
				facts->unique = true;
				*product =
					power(*product, letters_read(piece->text, piece->bytes, NULL), piece->count);
			}
			break;
		case CHECK:
			facts->bytes += DP_CHECK_DIGITS_MAX;
			break;
		case MISSING:
			facts->null_percent = piece->count;
			break;
		case COLUMN:
			facts->column = true;
			facts->bytes += piece->bytes + 2;
			break;
	}
	facts->constant = false;
}

bool
dp_pattern_is_null(const char *pattern)
{
	return strcmp(pattern, DP_PATTERN_NULL) == 0;
}

DpPatternFacts
dp_pattern_facts(const char *pattern)
{
	DpPatternFacts facts = {.constant = true, .capacity = UINT64_MAX, .bytes = 1};
	uint32_t values = list_values(pattern, NULL);
	uint64_t product = 1;
	bool is_null = dp_pattern_is_null(pattern);
	Piece piece;

	if (values > 0)
	{
		facts.bytes = strlen(pattern) + 1;
		facts.random = values > 1;
		facts.constant = values == 1;
		return facts;
	}
	while (*pattern)
	{
		pattern += piece_at(pattern, &piece);
		add_piece(&piece, &facts, &product);
	}
	if (product > 1)
		facts.capacity = product;
	if (is_null)
	{
		facts.column = false;
		facts.constant = true;
	}
	return facts;
}

const char *
dp_pattern_unread(const char *pattern)
{
	Piece piece;

	for (const char *at = strchr(pattern, '{'); at != NULL; at = strchr(at + 1, '{'))
		if ((begins(at, "{null:") || begins(at, "{check:")) && special_at(at, &piece) == 0)
			return at;
	return NULL;
}

void
dp_pattern_as_written(const char *pattern, char *written)
{
	Piece piece;

	for (size_t bytes; *pattern != '\0'; pattern += bytes)
	{
		bytes = piece_at(pattern, &piece);
		if (piece.kind == CHECK)
		{
			memset(written, '0', dp_check_digits_count(piece.check));
			written += dp_check_digits_count(piece.check);
		}
		else if (piece.kind != MISSING)
		{
			memcpy(written, pattern, bytes);
			written += bytes;
		}
	}
	*written = '\0';
}

/* ---- reading one ---- */

/* Copies of the texts are stored one after the other at the address of the first one. */
static bool
read_list(const char *text, DpPattern *pattern, DpArena *arena)
{
	pattern->choice = dp_alloc(arena, pattern->choices, sizeof(char *));
	if (pattern->choice == NULL)
		return false;
	pattern->choice[0] = dp_alloc(arena, strlen(text) + 1, 1);
	if (pattern->choice[0] == NULL)
		return false;
	(void) list_values(text, pattern);
	return true;
}

static bool
read_column(const Piece *piece, DpPattern *pattern, DpArena *arena)
{
	char *name = dp_alloc(arena, piece->bytes + 1, 1);

	if (name == NULL)
		return false;
	memcpy(name, piece->text, piece->bytes);
	pattern->column[pattern->columns++] = name;
	return true;
}

static bool
read_letters(Piece *piece, DpPattern *pattern, DpArena *arena)
{
	piece->letters = letters_read(piece->text, piece->bytes, NULL);
	piece->letter = dp_alloc(arena, piece->letters, sizeof(Letter));
	if (piece->letter == NULL)
		return false;
	(void) letters_read(piece->text, piece->bytes, piece->letter);
	if (piece->numbered)
		pattern->capacity = power(pattern->capacity, piece->letters, piece->count);
	return true;
}

static bool
read_pieces(const char *text, DpPattern *pattern, DpArena *arena)
{
	Piece piece;

	for (const char *at = text; *at; at += piece_at(at, &piece))
		pattern->pieces++;
	pattern->piece = dp_alloc(arena, pattern->pieces, sizeof(Piece));
	pattern->column = dp_alloc(arena, pattern->pieces, sizeof(char *));
	if (pattern->piece == NULL || pattern->column == NULL)
		return false;
	for (size_t i = 0; i < pattern->pieces; i++)
	{
		text += piece_at(text, &pattern->piece[i]);
		if ((pattern->piece[i].kind == COLUMN &&
			 !read_column(&pattern->piece[i], pattern, arena)) ||
			(pattern->piece[i].kind == LETTERS &&
			 !read_letters(&pattern->piece[i], pattern, arena)))
			return false;
		if (pattern->piece[i].kind == CHECK)
			pattern->checked = i + 1;
		pattern->draws |= pattern->piece[i].kind == LETTERS || pattern->piece[i].kind == UUID;
	}
	return true;
}

DpPattern *
dp_pattern_read(const char *text, DpArena *arena)
{
	DpPattern *pattern = dp_alloc(arena, 1, sizeof(DpPattern));
	const char *copy = dp_strdup(arena, text);

	if (pattern == NULL || copy == NULL)
		return NULL;
	pattern->capacity = 1;
	pattern->choices = list_values(copy, NULL);
	pattern->draws = pattern->choices > 0;
	if (pattern->choices > 0 ? !read_list(copy, pattern, arena)
							 : !read_pieces(copy, pattern, arena))
		return NULL;
	return pattern;
}

uint32_t
dp_pattern_choices(const DpPattern *pattern)
{
	return pattern->choices;
}

const char *
dp_pattern_choice(const DpPattern *pattern, uint32_t i)
{
	return pattern->choice[i];
}

uint32_t
dp_pattern_columns(const DpPattern *pattern)
{
	return pattern->columns;
}

const char *
dp_pattern_column(const DpPattern *pattern, uint32_t i)
{
	return pattern->column[i];
}

/* ---- writing a row ---- */

static size_t
number_write(uint64_t n, int width, char *to)
{
	char digits[NUMBER_BYTES];
	size_t length = 0;

	for (; n > 0 || length == 0 || length < (size_t) width; n /= 10)
		digits[length++] = (char) ('0' + n % 10);
	for (size_t i = 0; i < length; i++)
		to[i] = digits[length - 1 - i];
	return length;
}

/* Version 4 of RFC 9562: 122 random bits, four that say "4", two that say "this layout". */
static size_t
uuid_write(DpPrng *prng, char *to)
{
	uint64_t high = (dp_prng_u64(prng) & ~UINT64_C(0xf000)) | UINT64_C(0x4000);
	uint64_t low = (dp_prng_u64(prng) >> 2) | UINT64_C(0x8000000000000000);
	size_t length = 0;

	for (int i = 0; i < 32; i++)
	{
		uint64_t half = i < 16 ? high : low;

		if (i == 8 || i == 12 || i == 16 || i == 20)
			to[length++] = '-';
		to[length++] = "0123456789abcdef"[half >> (60 - 4 * (i % 16)) & 15];
	}
	return length;
}

/* Writes the letters of a piece. Numbered letters are the next digits of the row number; letters
 * beyond its digits are random. */
static size_t
letters_write(const Piece *piece, uint64_t *number, uint64_t *left, DpPrng *prng, char *to)
{
	size_t length = 0;

	for (int i = 0; i < piece->count; i++)
	{
		uint64_t which;
		const Letter *letter;

		if (piece->numbered && *left > 0)
		{
			which = *number % piece->letters;
			*number /= piece->letters;
			*left /= piece->letters;
		}
		else
			which = dp_prng_below(prng, piece->letters);
		letter = &piece->letter[which];
		memcpy(to + length, letter->byte, letter->bytes);
		length += letter->bytes;
	}
	return length;
}

static size_t
column_write(const Piece *piece, const char *value, char *to)
{
	if (value == NULL)
	{
		memcpy(to, piece->text - 1, piece->bytes + 2);
		return piece->bytes + 2;
	}
	memcpy(to, value, strlen(value));
	return strlen(value);
}

size_t
dp_pattern_write(const DpPattern *pattern, DpPatternRow row, DpStream stream,
				 const char *const *column, char *to)
{
	uint64_t number = 0, left = UINT64_MAX;
	size_t length = 0, check = 0;
	DpPrng prng;

	if (pattern->capacity > 1)
		number = dp_shuffle_number(row.number - 1, pattern->capacity, stream);
	stream.block = row.number;
	if (pattern->draws)
		dp_prng_seed(&prng, stream);
	if (pattern->choices > 0)
	{
		const char *value = pattern->choice[dp_prng_below(&prng, pattern->choices)];

		length = strlen(value);
		memcpy(to, value, length + 1);
		return length;
	}
	for (size_t i = 0; i < pattern->pieces; i++)
	{
		const Piece *piece = &pattern->piece[i];

		switch (piece->kind)
		{
			case TEXT:
				memcpy(to + length, piece->text, piece->bytes);
				length += piece->bytes;
				break;
			case NUMBER:
				length += number_write(row.number, piece->count, to + length);
				break;
			case PLACE:
				length += number_write(row.place, 0, to + length);
				break;
			case UUID:
				length += uuid_write(&prng, to + length);
				break;
			case LETTERS:
				length += letters_write(piece, &number, &left, &prng, to + length);
				break;
			case CHECK:
				check = length;
				length += dp_check_digits_count(piece->check);
				memset(to + check, '0', length - check);
				break;
			case MISSING:
				break;
			case COLUMN:
				length += column_write(piece, column == NULL ? NULL : *column, to + length);
				column += column != NULL;
				break;
		}
	}
	if (pattern->checked > 0)
		dp_check_digits_write(pattern->piece[pattern->checked - 1].check, to, length, check);
	to[length] = '\0';
	return length;
}

bool
dp_pattern_is_missing(int percent, DpPatternRow row, DpStream stream)
{
	DpPrng prng;

	stream.seed ^= MISSING_STREAM;
	stream.block = row.number;
	dp_prng_seed(&prng, stream);
	return dp_prng_below(&prng, 100) < (uint64_t) percent;
}
