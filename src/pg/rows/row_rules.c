/*
 * row_rules.c -- rows that keep the CHECKs of their table, and generated columns.
 *
 * Structural zeros (pg/domain/relation_rules.c) have ruled out the combinations of levels that
 * surely break a rule. What is left are bins of which some values keep the rule and some break it.
 * There the values inside the bins are drawn again, those of all columns that rules connect, until
 * the rules hold. Such a row has the law of the bins given that the rules hold: for uniform bins it
 * is uniform over the part that keeps them.
 *
 * That can take long where the part is a small corner. So after some tries the bins are cut to the
 * smallest box around the corner that the linear rules show (dp_rule_tighten). Of two columns in
 * one inequality at least about half of that box keeps it.
 */
#include "pg/rows/row_rules.h"

#include <math.h>

#include "access/relation.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "pg/domain/checks.h"
#include "pg/domain/rules.h"

#define TRIES_IN_BINS 4   /* of whole bins */
#define TRIES_IN_BOX 1000 /* of what the linear rules leave of them */

/* What a combination of levels tells of a rule. */
enum
{
	FATE_UNKNOWN,
	FATE_KEPT, /* by all values */
	FATE_OPEN  /* it depends on the values */
};

#define FATES_MAX 1000000

typedef struct RowRule
{
	const DpCheck *check;
	ExprState *state;
	DpRule rule;         /* what the levels tell; root NULL: it is not known */
	unsigned char *fate; /* [combinations of its levels]; NULL: too many, or rule is not known */
	Bitmapset *drawn;    /* columns whose values inside bins decide it, through computed ones too */
	const struct RowRule **together; /* rules that share such columns, and so on; NULL at the end */
	Bitmapset *group;                /* the columns of all of these */
} RowRule;

typedef struct Generated
{
	const DpCheck *check;
	ExprState *state;
} Generated;

struct DpRowRules
{
	const DpDecoder *decoder;
	const DpFiller *filler;
	DpRulePlace place;
	DpRuleAxis *axis;
	int rules;
	RowRule *rule;
	int generated;
	Generated *computed;
	TupleTableSlot *slot;
	ExprContext *context;
	DpInterval *box;     /* [attributes] */
	int *column;         /* [attributes] of the row; -1: it has none */
	MemoryContext tries; /* emptied before each try */
	const char *broken;
};

/* ---- making ---- */

static void
place_of(const DpDomain *domain, const DpDecoder *decoder, TupleDesc row, DpRulePlace *place)
{
	DpRuleColumn *column = palloc(sizeof(DpRuleColumn) * Max(row->natts, 1));
	Oid *type = palloc0(sizeof(Oid) * Max(domain->attributes, 1));
	int32 *typmod = palloc0(sizeof(int32) * Max(domain->attributes, 1));

	/* an attribute that the row type lacks is in no rule */
	for (uint32 a = 0; a < domain->attributes; a++)
		type[a] = TEXTOID;
	for (int i = 0; i < row->natts; i++)
	{
		DpDecoded decoded = dp_decoded(decoder, i);

		column[i] = (DpRuleColumn){-1, 0};
		if (decoded.attribute < 0 || decoded.is_looked_up)
			continue;
		column[i] = (DpRuleColumn){decoded.attribute, (AttrNumber) (decoded.base + 1)};
		type[decoded.attribute] = decoded.type;
		typmod[decoded.attribute] = decoded.typmod;
	}
	*place = (DpRulePlace){domain, type, typmod, row->natts, column};
}

static const Generated *
generated_find(const DpRowRules *rules, int number)
{
	for (int i = 0; i < rules->generated; i++)
		if (rules->computed[i].check->column == number)
			return &rules->computed[i];
	return NULL;
}

/* A generated column is computed from what the others hold, be it NULL. */
static void
take_generated(DpRowRules *rules, List *generated)
{
	ListCell *cell;

	rules->computed = palloc(sizeof(Generated) * Max(list_length(generated), 1));
	foreach (cell, generated)
	{
		const DpCheck *check = lfirst(cell);

		if (check->expression != NULL &&
			dp_decoded(rules->decoder, check->column - 1).attribute < 0)
			rules->computed[rules->generated++] =
				(Generated){check, ExecInitExpr((Expr *) check->expression, NULL)};
	}
}

/* Adds the columns of bins that column number depends on; false: the column is NULL, or holds a key,
 * which says nothing. */
static bool
add_drawn(const DpRowRules *rules, int number, Bitmapset **drawn)
{
	const Generated *generated = generated_find(rules, number);
	DpDecoded decoded = dp_decoded(rules->decoder, number - 1);
	int from = -1;

	if (generated != NULL)
	{
		while ((from = bms_next_member(generated->check->columns, from)) >= 0)
			if (!add_drawn(rules, from, drawn))
				return false;
		return true;
	}
	if (decoded.has_fields)
	{
		*drawn = bms_add_member(*drawn, number);
		return true;
	}
	if (decoded.attribute < 0)
		return dp_filler_is_constant(rules->filler, number - 1);
	if (decoded.base >= 0 && !add_drawn(rules, decoded.base + 1, drawn))
		return false;
	if (decoded.has_bins || decoded.base >= 0)
		*drawn = bms_add_member(*drawn, number);
	return true;
}

static void
compile(const DpRowRules *rules, RowRule *rule)
{
	uint64 cells;

	dp_rule_compile(rule->check, &rules->place, &rule->rule);
	if (rule->rule.root == NULL)
		return;
	cells = dp_domain_cells(rules->place.domain, rule->rule.attribute, rule->rule.n);
	if (cells <= FATES_MAX)
		rule->fate = palloc0(cells);
}

/* A rule of a column that the release does not have was left out when it was planned. */
static void
take_checks(DpRowRules *rules, List *checks)
{
	ListCell *cell;

	rules->rule = palloc0(sizeof(RowRule) * Max(list_length(checks), 1));
	foreach (cell, checks)
	{
		RowRule *rule = &rules->rule[rules->rules];
		int number = -1;
		bool known = true;
		bool computed = false;

		*rule = (RowRule){.check = lfirst(cell)};
		while (known && (number = bms_next_member(rule->check->columns, number)) >= 0)
		{
			computed |= generated_find(rules, number) != NULL ||
						dp_decoded(rules->decoder, number - 1).is_looked_up ||
						dp_decoded(rules->decoder, number - 1).attribute < 0;
			known = add_drawn(rules, number, &rule->drawn);
		}
		if (!known || rule->check->expression == NULL)
			continue;
		rule->state = ExecInitExpr((Expr *) rule->check->expression, NULL);
		if (!computed)
			compile(rules, rule);
		rules->rules++;
	}
}

/* Adds the distances from columns of the group; false: there are no others. */
static bool
add_distances(const DpRowRules *rules, Bitmapset **group)
{
	bool any = false;

	for (int i = 0; i < rules->place.columns; i++)
	{
		int base = dp_decoded(rules->decoder, i).base;

		if (base < 0 || bms_is_member(i + 1, *group) || !bms_is_member(base + 1, *group))
			continue;
		*group = bms_add_member(*group, i + 1);
		any = true;
	}
	return any;
}

/* Rules that share a column are kept together. */
static void
connect_rules(DpRowRules *rules)
{
	for (int i = 0; i < rules->rules; i++)
	{
		RowRule *rule = &rules->rule[i];
		int n = 0;
		bool grown = true;

		rule->group = bms_copy(rule->drawn);
		while (grown)
		{
			grown = add_distances(rules, &rule->group);
			for (int k = 0; k < rules->rules; k++)
				if (bms_overlap(rules->rule[k].drawn, rule->group) &&
					!bms_is_subset(rules->rule[k].drawn, rule->group))
				{
					rule->group = bms_add_members(rule->group, rules->rule[k].drawn);
					grown = true;
				}
		}
		rule->together = palloc(sizeof(RowRule *) * (rules->rules + 1));
		for (int k = 0; k < rules->rules; k++)
			if (k == i || bms_overlap(rules->rule[k].drawn, rule->group))
				rule->together[n++] = &rules->rule[k];
		rule->together[n] = NULL;
	}
}

DpRowRules *
dp_row_rules_create(const DpDomain *domain, const DpDecoder *decoder, const DpFiller *filler,
					TupleDesc row)
{
	Oid oid = row->tdtypeid == RECORDOID ? InvalidOid : get_typ_typrelid(row->tdtypeid);
	DpRowRules *rules = palloc0(sizeof(DpRowRules));
	Relation relation;

	if (!OidIsValid(oid))
		return NULL;
	relation = relation_open(oid, AccessShareLock);
	rules->decoder = decoder;
	rules->filler = filler;
	place_of(domain, decoder, row, &rules->place);
	take_generated(rules, dp_generated_read(relation));
	take_checks(rules, dp_checks_read(relation));
	relation_close(relation, AccessShareLock);
	if (rules->rules == 0 && rules->generated == 0)
		return NULL;
	connect_rules(rules);
	rules->axis = dp_rule_axes(&rules->place);
	rules->box = palloc(sizeof(DpInterval) * Max(domain->attributes, 1));
	rules->column = palloc(sizeof(int) * Max(domain->attributes, 1));
	for (uint32 a = 0; a < domain->attributes; a++)
		rules->column[a] = -1;
	for (int i = 0; i < row->natts; i++)
		if (rules->place.column[i].attribute >= 0)
			rules->column[rules->place.column[i].attribute] = i;
	rules->slot = MakeSingleTupleTableSlot(row, &TTSOpsVirtual);
	rules->context = CreateStandaloneExprContext();
	rules->context->ecxt_scantuple = rules->slot;
	rules->tries =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn tries", ALLOCSET_DEFAULT_SIZES);
	return rules;
}

/* ---- one row ---- */

/* Whether another value has taken the place of NULL in the column of an attribute (fill_rows.h). */
static bool
is_replaced(const DpRowRules *rules, uint32 attribute, uint32 code, const bool *nulls)
{
	const DpAttribute *of = &rules->place.domain->attribute[attribute];

	return of->has_other && of->other == NULL && code == of->levels - 1 &&
		   rules->column[attribute] >= 0 && !nulls[rules->column[attribute]];
}

/* Whether every value of these levels keeps the rule. A value that the caller gave may lie outside
 * of its level. */
static bool
is_kept_by_levels(const DpRowRules *rules, const RowRule *rule, const uint32 *codes,
				  const bool *nulls)
{
	const DpDomain *domain = rules->place.domain;
	uint32 own[DP_ZEROS_WIDTH_MAX];
	uint64 cell = 0;

	if (rule->fate == NULL || dp_decoder_is_fixed(rules->decoder))
		return false;
	for (uint32 p = 0; p < rule->rule.n; p++)
	{
		own[p] = codes[rule->rule.attribute[p]];
		if (is_replaced(rules, rule->rule.attribute[p], own[p], nulls))
			return false;
		cell = cell * domain->attribute[rule->rule.attribute[p]].levels + own[p];
	}
	if (rule->fate[cell] == FATE_UNKNOWN)
		rule->fate[cell] = dp_rule_truth(&rule->rule, domain, rules->axis, own) & DP_CAN_BE_FALSE
							   ? FATE_OPEN
							   : FATE_KEPT;
	return rule->fate[cell] == FATE_KEPT;
}

static void
row_show(DpRowRules *rules, const Datum *values, const bool *nulls)
{
	TupleTableSlot *slot = rules->slot;

	ExecClearTuple(slot);
	memcpy(slot->tts_values, values, sizeof(Datum) * slot->tts_tupleDescriptor->natts);
	memcpy(slot->tts_isnull, nulls, sizeof(bool) * slot->tts_tupleDescriptor->natts);
	ExecStoreVirtualTuple(slot);
}

/*
 * What an expression comes to, in the current memory context if it lasts; false: it fails, as a division by zero does, so that a table with the
 * expression could not hold the row. Only errors about values are caught. The expression consists of
 * PostgreSQL's own immutable functions (checks.h), which hold nothing that would be left behind.
 */
static bool
try_evaluate(DpRowRules *rules, ExprState *state, bool lasts, Datum *value, bool *isnull)
{
	MemoryContext caller = CurrentMemoryContext;
	volatile bool done = false;

	PG_TRY();
	{
		*value = lasts ? ExecEvalExpr(state, rules->context, isnull)
					   : ExecEvalExprSwitchContext(state, rules->context, isnull);
		done = true;
	}
	PG_CATCH();
	{
		if (ERRCODE_TO_CATEGORY(geterrcode()) != ERRCODE_DATA_EXCEPTION)
			PG_RE_THROW();
		MemoryContextSwitchTo(caller);
		FlushErrorState();
	}
	PG_END_TRY();
	return done;
}

/* Computes the generated columns, and shows the row to the rules. false: one cannot be computed. */
static bool
row_complete(DpRowRules *rules, Datum *values, bool *nulls)
{
	row_show(rules, values, nulls);
	if (rules->generated == 0)
		return true;
	for (int i = 0; i < rules->generated; i++)
	{
		const Generated *generated = &rules->computed[i];
		int at = generated->check->column - 1;

		if (!try_evaluate(rules, generated->state, true, &values[at], &nulls[at]))
		{
			rules->broken = generated->check->name;
			return false;
		}
	}
	row_show(rules, values, nulls);
	return true;
}

/* A CHECK that is NULL passes. */
static bool
rule_holds(DpRowRules *rules, const RowRule *rule)
{
	Datum value;
	bool isnull;

	return try_evaluate(rules, rule->state, false, &value, &isnull) &&
		   (isnull || DatumGetBool(value));
}

static const RowRule *
broken_rule(DpRowRules *rules, const RowRule *const *among)
{
	for (; *among != NULL; among++)
		if (!rule_holds(rules, *among))
			return *among;
	return NULL;
}

/* ---- values inside bins ---- */

static bool
tighten_one(DpRowRules *rules, const DpRule *rule, const uint32 *codes)
{
	uint32 own[DP_ZEROS_WIDTH_MAX];
	DpInterval box[DP_ZEROS_WIDTH_MAX];

	if (rule->root == NULL)
		return true;
	for (uint32 p = 0; p < rule->n; p++)
	{
		own[p] = codes[rule->attribute[p]];
		box[p] = rules->box[rule->attribute[p]];
	}
	if (!dp_rule_tighten(rule, rules->place.domain, rules->axis, own, box))
		return false;
	for (uint32 p = 0; p < rule->n; p++)
		rules->box[rule->attribute[p]] = box[p];
	return true;
}

/* Cuts the bins of the codes to what the linear rules leave; false: nothing. */
static bool
tighten(DpRowRules *rules, const RowRule *rule, const uint32 *codes)
{
	for (uint32 a = 0; a < rules->place.domain->attributes; a++)
	{
		const DpRuleAxis *axis = &rules->axis[a];

		rules->box[a] = axis->level == NULL || codes[a] == axis->missing
							? (DpInterval){-INFINITY, INFINITY}
							: axis->level[codes[a]];
	}
	/* what one rule cuts, another may cut further */
	for (int round = 0; round < 2; round++)
		for (int k = 0; rule->together[k] != NULL; k++)
			if (!tighten_one(rules, &rule->together[k]->rule, codes))
				return false;
	return true;
}

/* Draws the values of the group anew; false: there are none in the box. complete: whether the
 * generated columns can be computed from them. */
static bool
draw_group(DpRowRules *rules, const RowRule *rule, const uint32 *codes, bool in_box, DpPrng *prng,
		   Datum *values, bool *nulls, bool *complete)
{
	const int *order = dp_decoder_order(rules->decoder);

	for (int k = 0; k < rules->place.columns; k++)
	{
		int i = order[k];

		if (!bms_is_member(i + 1, rule->group))
			continue;
		if (!in_box || rules->place.column[i].attribute < 0)
			dp_decode_column(rules->decoder, i, codes, prng, values, nulls);
		else if (!dp_decode_column_within(rules->decoder, i, codes,
										  rules->box[rules->place.column[i].attribute], prng,
										  values, nulls))
			return false;
	}
	*complete = row_complete(rules, values, nulls);
	return true;
}

/* Brings the values of a try into the current memory context. */
static void
copy_tried(const DpRowRules *rules, const RowRule *rule, Datum *values, const bool *nulls)
{
	TupleDesc row = rules->slot->tts_tupleDescriptor;

	for (int i = 0; i < row->natts; i++)
		if (!nulls[i] && (bms_is_member(i + 1, rule->group) || generated_find(rules, i + 1)))
			values[i] = datumCopy(values[i], TupleDescAttr(row, i)->attbyval,
								  TupleDescAttr(row, i)->attlen);
}

/* Keeps a rule that is broken, and those that share columns with it. */
static bool
keep_group(DpRowRules *rules, const RowRule *rule, const uint32 *codes, DpPrng *prng, Datum *values,
		   bool *nulls)
{
	if (bms_is_empty(rule->group))
		return false;
	for (int try = 0; try < TRIES_IN_BINS + TRIES_IN_BOX; try++)
	{
		MemoryContext caller;
		bool complete;
		bool drawn;

		CHECK_FOR_INTERRUPTS();
		if (try == TRIES_IN_BINS && !tighten(rules, rule, codes))
			return false;
		ResetExprContext(rules->context);
		MemoryContextReset(rules->tries);
		caller = MemoryContextSwitchTo(rules->tries);
		drawn =
			draw_group(rules, rule, codes, try >= TRIES_IN_BINS, prng, values, nulls, &complete);
		MemoryContextSwitchTo(caller);
		if (!drawn)
			return false;
		if (complete && broken_rule(rules, rule->together) == NULL)
		{
			copy_tried(rules, rule, values, nulls);
			return true;
		}
	}
	return false;
}

bool
dp_row_rules_keep(DpRowRules *rules, const uint32 *codes, DpPrng *prng, Datum *values, bool *nulls)
{
	bool shown = rules->generated > 0;

	ResetExprContext(rules->context);
	if (shown && !row_complete(rules, values, nulls))
		return false;
	for (int i = 0; i < rules->rules; i++)
	{
		const RowRule *rule = &rules->rule[i];

		if (is_kept_by_levels(rules, rule, codes, nulls))
			continue;
		if (!shown)
			row_show(rules, values, nulls);
		shown = true;
		if (rule_holds(rules, rule) || keep_group(rules, rule, codes, prng, values, nulls))
			continue;
		rules->broken = rule->check->name;
		return false;
	}
	return true;
}

const char *
dp_row_rules_broken(const DpRowRules *rules)
{
	return rules->broken;
}
