/*
 * options.h -- a method's options: declared once with type, default, limits
 * and a sentence; validated for every method by the same code.
 */
#ifndef DP_OPTIONS_H
#define DP_OPTIONS_H

#include "core/domain/domain.h"

typedef enum DpOptionType
{
	DP_OPTION_INTEGER,
	DP_OPTION_INTEGER_OR_WORD, /* the same, or a word of choices; minimum >= 0 */
	DP_OPTION_MEMORY,          /* an integer, or a text as in settings, '80MB', parsed by src/pg */
	DP_OPTION_SHARE,           /* decimal in [minimum, maximum], held in 1e-9 */
	DP_OPTION_BOOLEAN,
	DP_OPTION_CHOICE,   /* one of the words in choices, "a|b|c" */
	DP_OPTION_TEXT,     /* any string: the glue reads it */
	DP_OPTION_NAME,     /* a column name */
	DP_OPTION_NAMES,    /* list of column names */
	DP_OPTION_NAME_MAP, /* column name -> list of column names */
	DP_OPTION_DOMAIN,   /* public domains of columns: the glue reads them */
	DP_OPTION_SETS,     /* sets of columns, or an integer in [minimum, maximum]: all of that size */
	DP_OPTION_WEIGHTED_SETS /* like DP_OPTION_SETS, and sets may have weights */
} DpOptionType;

typedef struct DpOptionSpec
{
	const char *name;
	DpOptionType type;
	const char *fallback; /* default as text; NULL = not set */
	int64_t minimum;      /* INTEGER, INTEGER_OR_WORD and SETS, or SHARE in 1e-9 */
	int64_t maximum;
	const char *choices;
	const char *example; /* how a value is written, as JSON; NULL: like others of its type */
	const char *summary; /* one sentence for dp_methods and the docs */
} DpOptionSpec;

/* A share of a budget: some of it, and not all. */
#define DP_SPEC_SHARE(label, value, words)                                                         \
	{                                                                                              \
		.name = label, .type = DP_OPTION_SHARE, .fallback = value, .minimum = 1000000,             \
		.maximum = 900000000, .summary = words                                                     \
	}

typedef struct DpNameList
{
	const char *key; /* NAME_MAP: the column; NAMES: NULL */
	uint32_t n;
	const char **name;
} DpNameList;

/* A value as the caller wrote it (the glue fills it from jsonb). */
typedef enum DpOptionKind
{
	DP_VALUE_NULL,    /* same as not given */
	DP_VALUE_NUMBER,  /* text: the decimal */
	DP_VALUE_STRING,  /* text */
	DP_VALUE_BOOLEAN, /* flag */
	DP_VALUE_LIST,    /* list[0] */
	DP_VALUE_MAP,     /* list[0..lists-1] with keys */
	DP_VALUE_SETS,    /* list[0..lists-1], each a set: of names, or as text in key; weight[] */
	DP_VALUE_OTHER    /* something no option takes (nested arrays, ...) */
} DpOptionKind;

typedef struct DpOption
{
	const char *name;
	DpOptionKind kind;
	const char *text;
	bool flag;
	uint32_t lists;
	DpNameList *list;
	const char **weight; /* SETS: [lists] a decimal, or NULL = not given; NULL: none is */
} DpOption;

typedef struct DpOptions
{
	uint32_t n;
	DpOption *option;
} DpOptions;

/* Checks that all given options are known, given once, of the right kind and within their
 * limits. The error names the option and the limits, or, for an unknown name, the options that
 * exist. */
extern DpStatus dp_options_check(const DpOptions *options, const DpOptionSpec *specs, uint32_t n,
								 const char *method, DpError *error) DP_MUST_USE;
/* Reads of a checked option: the value or the declared default. */
extern bool dp_option_given(const DpOptions *options, const char *name);
extern int64_t dp_option_integer(
	const DpOptions *options, const DpOptionSpec *specs, uint32_t n,
	const char *name); /* INTEGER, SHARE (1e-9), BOOLEAN (0/1), CHOICE (index); INTEGER_OR_WORD:
						* a word reads as -1 - index */
extern const DpOption *dp_option_lists(const DpOptions *options,
									   const char *name); /* NULL = not given */
extern const char *dp_option_text(const DpOptions *options,
								  const char *name); /* NULL = not given */
/* Finds the column that an option names, among the modelled ones. DP_ERR_UNDEFINED: there is
 * none. */
extern DpStatus dp_option_column(const char *option, const DpDomain *domain, const char *column,
								 uint32_t *index, DpError *error) DP_MUST_USE;

#endif
