/*
 * fill_regex.c -- the form of the texts that match a regular expression.
 *
 * Supports literals, sets, classes and escapes, quantifiers, groups, alternatives, anchors, word
 * boundaries and embedded options. Takes the first alternative of each group, and omits optional
 * groups. Anchors and boundaries are ignored. So a text of this form need not match: the caller
 * tries it.
 */
#include "pg/domain/fill_format.h"

#include <ctype.h>

#include "mb/pg_wchar.h"
#include "miscadmin.h"

typedef struct Reader
{
	const char *at; /* NULL: a construct is not supported */
	bool expanded;  /* blanks and comments are ignored */
	DpFormat *format;
} Reader;

static void
fail(Reader *reader, const char *what)
{
	if (reader->at != NULL)
		reader->format->unread = what;
	reader->at = NULL;
}

/* ---- sets ---- */

static void
set_add(DpCharacterSet *set, int character)
{
	if (character > 0 && character < 128 && !set->has[character])
	{
		set->has[character] = true;
		set->n++;
	}
}

static void
set_add_range(DpCharacterSet *set, int low, int high)
{
	for (int c = low; c <= high; c++)
		set_add(set, c);
}

/* Reduces a large set to its usual characters: lower-case letters and digits, if it has any. */
static void
set_prefer(DpCharacterSet *set)
{
	DpCharacterSet usual = {{false}, 0};

	for (int c = 0; c < 128; c++)
		if (set->has[c] && (islower(c) || isdigit(c)))
			set_add(&usual, c);
	if (usual.n > 0)
		*set = usual;
}

static void
set_complement(DpCharacterSet *set)
{
	DpCharacterSet rest = {{false}, 0};

	for (int c = ' '; c < 127; c++)
		if (!set->has[c])
			set_add(&rest, c);
	*set = rest;
	set_prefer(set);
}

/* The set of \d, \w or \s. False: the letter is none of these. */
static bool
set_add_shorthand(DpCharacterSet *set, char letter)
{
	if (strchr("dw", letter) != NULL)
		set_add_range(set, '0', '9');
	if (letter == 'w')
		set_add_range(set, 'a', 'z');
	if (letter == 's')
		set_add(set, ' ');
	return strchr("dws", letter) != NULL;
}

/* Adds [:alpha:] or its like; false: there is no such class. */
static bool
set_add_class(DpCharacterSet *set, const char *name, int length)
{
	static const struct
	{
		const char *name;
		int (*holds)(int);
	} classes[] = {{"digit", isdigit}, {"xdigit", isxdigit}, {"alpha", isalpha}, {"alnum", isalnum},
				   {"lower", islower}, {"upper", isupper},   {"space", isblank}, {"blank", isblank},
				   {"punct", ispunct}, {"print", isalnum},   {"graph", isalnum}, {"word", isalnum}};

	for (size_t i = 0; i < lengthof(classes); i++)
	{
		if ((int) strlen(classes[i].name) != length || strncmp(classes[i].name, name, length) != 0)
			continue;
		for (int c = ' '; c < 127; c++)
			/* of hexadecimal digits only those of one case */
			if (classes[i].holds(c) && (classes[i].holds != isxdigit || !isupper(c)))
				set_add(set, c);
		return true;
	}
	return false;
}

/* ---- characters ---- */

/*
 * Reads at most the given number of hexadecimal digits. Returns the number, or -1 if there is none.
 */
static int
read_hexadecimal(Reader *reader, int digits)
{
	char words[9] = {0};
	int n = 0;

	while (n < Min(digits, 8) && isxdigit((unsigned char) reader->at[n]))
	{
		words[n] = reader->at[n];
		n++;
	}
	reader->at += n;
	return n == 0 ? -1 : (int) strtol(words, NULL, 16);
}

/* Reads an escape after a \ as one character; -1: it is not ASCII. */
static int
read_escaped(Reader *reader)
{
	static const char letters[] = "abBefnrtv", meanings[] = "\a\b\\\033\f\n\r\t\v";
	char letter = *reader->at;
	const char *found = letter == '\0' ? NULL : strchr(letters, letter);

	if (letter == '\0' || IS_HIGHBIT_SET(letter))
		return -1;
	reader->at++;
	if (found != NULL)
		return meanings[found - letters];
	if (letter == 'x' || letter == 'u' || letter == 'U')
	{
		int code = read_hexadecimal(reader, letter == 'u' ? 4 : 8);

		return code < 128 ? code : -1;
	}
	return isalnum((unsigned char) letter) ? -1 : letter;
}

/* Reads an element in brackets. Returns the character, or 0 for a multi-byte character or a set. */
static int
read_member(Reader *reader, DpFormatAtom *atom)
{
	char first = *reader->at;

	if (first == '[' && reader->at[1] != '\0' && strchr(":.=", reader->at[1]) != NULL)
	{
		const char close[] = {reader->at[1], ']', '\0'};
		const char *name = reader->at + 2;
		const char *end = strstr(name, close);

		if (end == NULL || (close[0] == ':' ? !set_add_class(&atom->set, name, (int) (end - name))
											: end != name + 1))
		{
			fail(reader, "a class or a collating element in brackets");
			return 0;
		}
		reader->at = end + 2;
		return close[0] == ':' ? 0 : *name;
	}
	if (first == '\\' && set_add_shorthand(&atom->set, reader->at[1]))
	{
		reader->at += 2;
		return 0;
	}
	if (first == '\\')
	{
		int character;

		reader->at++;
		character = read_escaped(reader);
		if (character < 0)
			fail(reader, "an escape in brackets");
		return Max(character, 0);
	}
	if (IS_HIGHBIT_SET(first))
	{
		int bytes = pg_mblen(reader->at);

		strlcpy(atom->literal, reader->at, (size_t) bytes + 1);
		reader->at += bytes;
		return 0;
	}
	reader->at++;
	return (unsigned char) first;
}

/* Reads [...] after its first bracket. */
static void
read_set(Reader *reader, DpFormatAtom *atom)
{
	bool negated = *reader->at == '^';
	bool first = true;

	reader->at += negated;
	for (; reader->at != NULL && (first || *reader->at != ']'); first = false)
	{
		int low, high;

		if (*reader->at == '\0')
		{
			fail(reader, "a bracket without an end");
			return;
		}
		low = high = read_member(reader, atom);
		if (reader->at != NULL && *reader->at == '-' && reader->at[1] != ']' &&
			reader->at[1] != '\0')
		{
			reader->at++;
			high = read_member(reader, atom);
		}
		set_add_range(&atom->set, low, high);
	}
	if (reader->at == NULL)
		return;
	reader->at++;
	if (negated)
	{
		set_complement(&atom->set);
		atom->literal[0] = '\0';
	}
	if (atom->set.n > 0)
		atom->literal[0] = '\0';
	else if (atom->literal[0] == '\0')
		fail(reader, "a set of which no character is known");
}

/* Reads an escape after a \. False: it is a constraint on a position, and no character. */
static bool
read_escape(Reader *reader, DpFormatAtom *atom)
{
	char letter = *reader->at;
	int character;

	if (letter != '\0' && strchr("AZmMyY", letter) != NULL)
	{
		reader->at++;
		return false;
	}
	if (letter != '\0' && strchr("dswDSW", letter) != NULL)
	{
		(void) set_add_shorthand(&atom->set, (char) tolower((unsigned char) letter));
		if (letter == 'W') /* characters of \w other than lower-case letters and digits */
		{
			set_add_range(&atom->set, 'A', 'Z');
			set_add(&atom->set, '_');
		}
		if (isupper((unsigned char) letter))
			set_complement(&atom->set);
		reader->at++;
		return true;
	}
	if (letter >= '1' && letter <= '9')
	{
		fail(reader, psprintf("the back reference \\%c", letter));
		return true;
	}
	character = read_escaped(reader);
	if (character <= 0)
		fail(reader, "an escape behind a backslash");
	else
		set_add(&atom->set, character);
	return true;
}

/* Reads one place of a text. False: the construct matches no character. */
static bool
read_place(Reader *reader, DpFormatAtom *atom)
{
	char first = *reader->at;

	*atom = (DpFormatAtom){.least = 1, .most = 1};
	if (IS_HIGHBIT_SET(first))
	{
		int bytes = pg_mblen(reader->at);

		strlcpy(atom->literal, reader->at, (size_t) bytes + 1);
		reader->at += bytes;
		return true;
	}
	reader->at++;
	if (first == '[')
		read_set(reader, atom);
	else if (first == '\\')
		return read_escape(reader, atom);
	else if (first == '.')
		set_complement(&atom->set);
	else if (strchr("*+?{", first) != NULL && first != '\0')
		fail(reader, "a count behind nothing");
	else
		set_add(&atom->set, first);
	return true;
}

/* ---- counts, groups, branches ---- */

/* Reads a quantifier, {m}, {m,}, {m,n}, +, * or ?, if there is one, and the ? that makes it
 * non-greedy. */
static void
read_count(Reader *reader, int *least, int *most)
{
	char first = *reader->at;
	char *end;

	*least = *most = 1;
	if (first != '*' && first != '+' && first != '?' && first != '{')
		return;
	reader->at++;
	if (first != '{')
	{
		*least = first == '+' ? 1 : 0;
		*most = first == '?' ? 1 : -1;
	}
	else
	{
		*least = *most = (int) strtol(reader->at, &end, 10);
		if (*end == ',')
		{
			const char *second = end + 1;

			*most = (int) strtol(second, &end, 10);
			if (end == second)
				*most = -1;
		}
		if (*end != '}' || end == reader->at || *least < 0 || *least > DP_FORMAT_TIMES_MAX)
		{
			fail(reader, "a count in braces");
			return;
		}
		reader->at = end + 1;
	}
	if (*reader->at == '?')
		reader->at++;
}

/* Repeats the atoms from `begin` on. */
static void
repeat_group(Reader *reader, int begin, int times)
{
	DpFormat *format = reader->format;
	int length = format->atoms - begin;

	if (begin + length * times > DP_FORMAT_ATOMS_MAX)
	{
		fail(reader, "a text as long as it asks for");
		return;
	}
	for (int i = 1; i < times; i++)
		memcpy(&format->atom[begin + i * length], &format->atom[begin],
			   sizeof(DpFormatAtom) * length);
	format->atoms = begin + length * times;
}

static void read_branches(Reader *reader);

/* Reads (...) or (?:...) after its first parenthesis. */
static void
read_group(Reader *reader)
{
	int begin = reader->format->atoms;
	int least, most;

	if (*reader->at == '?' && reader->at[1] != ':')
	{
		fail(reader, reader->at[1] == '=' || reader->at[1] == '!' || reader->at[1] == '<'
						 ? psprintf("the look-around (%.2s", reader->at)
						 : "an option in its middle");
		return;
	}
	reader->at += *reader->at == '?' ? 2 : 0;
	read_branches(reader);
	if (reader->at == NULL || *reader->at != ')')
	{
		fail(reader, "a parenthesis without an end");
		return;
	}
	reader->at++;
	read_count(reader, &least, &most);
	if (reader->at != NULL)
		repeat_group(reader, begin, least);
}

static void
read_atom(Reader *reader)
{
	DpFormat *format = reader->format;
	DpFormatAtom atom;

	if (!read_place(reader, &atom) || reader->at == NULL)
		return;
	read_count(reader, &atom.least, &atom.most);
	if (reader->at == NULL)
		return;
	if (format->atoms == DP_FORMAT_ATOMS_MAX)
		fail(reader, "a text as long as it asks for");
	else
		format->atom[format->atoms++] = atom;
}

static bool
is_skipped(const Reader *reader)
{
	return reader->expanded && (isspace((unsigned char) *reader->at) || *reader->at == '#');
}

static void
skip(Reader *reader)
{
	if (*reader->at == '#')
		reader->at += strcspn(reader->at, "\n");
	else
		reader->at++;
}

/* Reads up to the end of a branch. */
static void
read_branch(Reader *reader)
{
	while (reader->at != NULL && *reader->at != '\0' && *reader->at != '|' && *reader->at != ')')
	{
		if (is_skipped(reader))
			skip(reader);
		else if (*reader->at == '^' || *reader->at == '$')
			reader->at++;
		else if (*reader->at == '(')
		{
			reader->at++;
			read_group(reader);
		}
		else
			read_atom(reader);
	}
}

/* Reads alternatives, and keeps the first one. */
static void
read_branches(Reader *reader)
{
	int first;

	check_stack_depth();
	read_branch(reader);
	first = reader->format->atoms;
	while (reader->at != NULL && *reader->at == '|')
	{
		reader->at++;
		read_branch(reader);
		reader->format->atoms = first;
	}
}

/* Reads a prefix ***: or ***=, and options such as (?ix). False: the rest is a literal text. */
static bool
read_prefix(Reader *reader)
{
	size_t options;

	if (strncmp(reader->at, "***=", 4) == 0)
	{
		reader->at += 4;
		return false;
	}
	if (strncmp(reader->at, "***:", 4) == 0)
		reader->at += 4;
	if (strncmp(reader->at, "(?", 2) != 0)
		return true;
	options = strspn(reader->at + 2, "bceimnpqstwx");
	if (options == 0 || reader->at[2 + options] != ')')
		return true;
	for (size_t i = 2; i < 2 + options; i++)
	{
		if (reader->at[i] == 'q')
		{
			reader->at += 3 + options;
			return false;
		}
		if (reader->at[i] == 'b')
		{
			fail(reader, "the option b");
			return true;
		}
		reader->expanded |= reader->at[i] == 'x';
	}
	reader->at += 3 + options;
	return true;
}

bool
dp_format_of_regex(const char *expression, DpFormat *format)
{
	Reader reader = {.at = expression, .format = format};

	format->atoms = 0;
	format->unread = NULL;
	if (read_prefix(&reader))
	{
		if (reader.at != NULL)
			read_branches(&reader);
		if (reader.at != NULL && *reader.at == ')')
			fail(&reader, "a parenthesis without a beginning");
		return reader.at != NULL;
	}
	for (; *reader.at != '\0' && format->atoms < DP_FORMAT_ATOMS_MAX; reader.at++)
	{
		DpFormatAtom atom = {.least = 1, .most = 1};

		if (IS_HIGHBIT_SET(*reader.at))
			return false;
		set_add(&atom.set, *reader.at);
		format->atom[format->atoms++] = atom;
	}
	return *reader.at == '\0';
}
