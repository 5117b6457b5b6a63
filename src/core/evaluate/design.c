/*
 * design.c -- terms of a regression, found row by row.
 */
#include "core/evaluate/regression.h"

#include <math.h>

#include "core/base/saturate.h"

/* Terms of a predictor: the reference level has none. */
static uint32_t
terms_of(const DpPredictor *predictor)
{
	return predictor->levels == 0 ? 1 : predictor->levels - 1;
}

uint64_t
dp_design_terms(const DpPredictor *predictor, uint32_t predictors, bool pairs)
{
	uint64_t terms = 1;

	for (uint32_t i = 0; i < predictors; i++)
	{
		terms = dp_add_saturated(terms, terms_of(&predictor[i]));
		for (uint32_t k = 0; pairs && k < i; k++)
			if (predictor[i].levels > 0 && predictor[k].levels > 0)
				terms = dp_add_saturated(
					terms, dp_multiply_saturated(terms_of(&predictor[i]), terms_of(&predictor[k])));
	}
	return terms;
}

/* The place of a pair among all pairs, k < i. */
static uint32_t
pair_of(uint32_t i, uint32_t k)
{
	return i * (i - 1) / 2 + k;
}

static void
number_terms(DpDesign *design)
{
	const DpPredictor *predictor = design->predictor;

	design->terms = 1;
	design->widest = 1 + design->predictors;
	for (uint32_t i = 0; i < design->predictors; i++)
	{
		design->scale[i] = 1;
		design->first[i] = design->terms;
		design->terms += terms_of(&predictor[i]);
	}
	for (uint32_t i = 1; design->pairs && i < design->predictors; i++)
		for (uint32_t k = 0; k < i; k++)
			if (predictor[i].levels > 0 && predictor[k].levels > 0)
			{
				design->pair_first[pair_of(i, k)] = design->terms;
				design->terms += terms_of(&predictor[i]) * terms_of(&predictor[k]);
				design->widest++;
			}
}

DpStatus
dp_design_init(DpDesign *design, const DpPredictor *predictor, uint32_t predictors, bool pairs,
			   DpArena *arena)
{
	size_t pairs_n = pairs ? (size_t) predictors * predictors / 2 + 1 : 0;

	if (predictors > UINT16_MAX || dp_design_terms(predictor, predictors, pairs) > INT32_MAX)
		return DP_ERR_LIMIT;
	*design = (DpDesign){.predictor = predictor, .predictors = predictors, .pairs = pairs};
	design->first = dp_alloc(arena, predictors, sizeof(uint32_t));
	design->pair_first = dp_alloc(arena, pairs_n, sizeof(uint32_t));
	design->centre = dp_alloc(arena, predictors, sizeof(double));
	design->scale = dp_alloc(arena, predictors, sizeof(double));
	DP_TRY_ALLOC(design->first && design->pair_first && design->centre && design->scale);
	number_terms(design);
	return DP_OK;
}

DpStatus
dp_design_row_init(DpDesignRow *row, const DpDesign *design, DpArena *arena)
{
	row->n = 0;
	row->term = dp_alloc(arena, design->widest, sizeof(uint32_t));
	row->x = dp_alloc(arena, design->widest, sizeof(double));
	return row->term == NULL || row->x == NULL ? DP_ERR_MEMORY : DP_OK;
}

void
dp_design_standardise(DpDesign *design, const DpObservations *rows)
{
	for (uint32_t i = 0; i < design->predictors; i++)
	{
		double weight = 0, mean = 0, squares = 0;

		if (design->predictor[i].levels > 0)
			continue;
		for (uint64_t r = 0; r < rows->rows; r++)
		{
			double change = rows->value[r * rows->predictors + i] - mean;

			weight += rows->weight[r];
			mean += change * (rows->weight[r] / weight);
			squares += rows->weight[r] * change * (rows->value[r * rows->predictors + i] - mean);
		}
		design->centre[i] = mean;
		design->scale[i] = squares > 0 && isfinite(squares) ? sqrt(squares / weight) : 1;
	}
}

/* The place of a level among those that are not the reference; UINT32_MAX for the reference. */
static uint32_t
place_of(const DpPredictor *predictor, double value)
{
	uint32_t level = (uint32_t) value;

	if (level == predictor->reference)
		return UINT32_MAX;
	return level < predictor->reference ? level : level - 1;
}

static void
row_add(DpDesignRow *row, uint32_t term, double x)
{
	row->term[row->n] = term;
	row->x[row->n++] = x;
}

static void
add_pairs(const DpDesign *design, const double *value, DpDesignRow *row)
{
	for (uint32_t i = 1; i < design->predictors; i++)
	{
		const DpPredictor *predictor = &design->predictor[i];
		uint32_t place;

		if (predictor->levels == 0 || (place = place_of(predictor, value[i])) == UINT32_MAX)
			continue;
		for (uint32_t k = 0; k < i; k++)
		{
			const DpPredictor *other = &design->predictor[k];
			uint32_t with;

			if (other->levels > 0 && (with = place_of(other, value[k])) != UINT32_MAX)
				row_add(row, design->pair_first[pair_of(i, k)] + place * terms_of(other) + with, 1);
		}
	}
}

void
dp_design_row(const DpDesign *design, const double *value, DpDesignRow *row)
{
	row->n = 0;
	row_add(row, 0, 1);
	for (uint32_t i = 0; i < design->predictors; i++)
	{
		const DpPredictor *predictor = &design->predictor[i];
		uint32_t place;

		if (predictor->levels == 0)
			row_add(row, design->first[i], (value[i] - design->centre[i]) / design->scale[i]);
		else if ((place = place_of(predictor, value[i])) != UINT32_MAX)
			row_add(row, design->first[i] + place, 1);
	}
	if (design->pairs)
		add_pairs(design, value, row);
}

uint32_t
dp_design_predictor(const DpDesign *design, uint32_t term)
{
	uint32_t i = 0;

	while (i + 1 < design->predictors && design->first[i + 1] <= term)
		i++;
	return i;
}

uint32_t
dp_design_level(const DpDesign *design, uint32_t term)
{
	uint32_t i = dp_design_predictor(design, term);
	uint32_t place = term - design->first[i];

	return place < design->predictor[i].reference ? place : place + 1;
}
