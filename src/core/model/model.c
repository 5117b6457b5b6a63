/*
 * model.c -- what must hold of a model, wherever it came from.
 */
#include "core/model/model.h"

#include <string.h>

#include "core/domain/domain.h"

static DpStatus
corrupt(const char *what, DpError *error)
{
	return dp_fail(error, DP_ERR_CORRUPT, "invalid model: %s", what);
}

int64_t
dp_model_parameter(const DpModel *model, const char *name, int64_t fallback)
{
	for (uint32_t i = 0; i < model->parameters; i++)
	{
		if (strcmp(model->parameter[i].name, name) == 0)
			return model->parameter[i].value;
	}
	return fallback;
}

bool
dp_model_holds_rows(const DpModel *model)
{
	return dp_model_parameter(model, DP_MODEL_HOLDS_ROWS, 0) != 0;
}

static bool
text_fits(const char *text)
{
	return text == NULL || strlen(text) <= DP_TEXT_MAX;
}

static bool
is_name(const char *text)
{
	return text != NULL && text[0] != '\0' && text_fits(text);
}

static DpStatus
check_model_domain(const DpDomain *domain, DpError *error)
{
	DpError reason = {0};

	if (dp_domain_check(domain, &reason) != DP_OK)
	{
		(void) corrupt("its domain breaks a rule", error);
		dp_fail_detail(error, "%s", reason.message);
		return DP_ERR_CORRUPT;
	}
	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		const DpAttribute *attribute = &domain->attribute[a];

		if (attribute->open)
			return corrupt("an attribute is still open", error);
		if (attribute->range != NULL && attribute->range->state != DP_RANGE_FOUND)
			return corrupt("the bins of an attribute are not found yet", error);
		if (!attribute->has_other && attribute->other != NULL)
			return corrupt("a text for a level that an attribute does not have", error);
	}
	return DP_OK;
}

static DpStatus
check_table_attributes(const DpModel *model, const DpTable *table, DpError *error)
{
	if (table->n > model->domain.attributes)
		return corrupt("a table has too many attributes", error);
	for (uint32_t k = 0; k < table->n; k++)
	{
		if (table->attribute[k] >= model->domain.attributes)
			return corrupt("a table names an attribute that does not exist", error);
		for (uint32_t i = 0; i < k; i++)
		{
			if (table->attribute[i] == table->attribute[k])
				return corrupt("a table has an attribute twice", error);
		}
	}
	return DP_OK;
}

static DpStatus
check_gaussian(const DpTable *table, DpError *error)
{
	if (table->cost.epsilon_nano != 0 || table->cost.delta_atto != 0 || table->cost.rho_pico < 1 ||
		table->cost.rho_pico > DP_RHO_PICO_MAX || table->sensitivity_l1 < 1 ||
		table->sensitivity_l2_squared < 1)
		return corrupt("cost or sensitivity of a table is impossible", error);
	return DP_OK;
}

static DpStatus
check_table_noise(const DpTable *table, DpError *error)
{
	bool laplace = table->noise == DP_NOISE_LAPLACE && table->storage == DP_DENSE &&
				   table->threshold_rows == 0;
	bool stability = table->noise == DP_NOISE_STABILITY && table->storage == DP_SPARSE &&
					 table->threshold_rows >= 1;
	bool gaussian = table->noise == DP_NOISE_GAUSSIAN && table->storage == DP_DENSE &&
					table->threshold_rows == 0;
	bool sparse = table->noise == DP_NOISE_SPARSE && table->storage == DP_SPARSE &&
				  table->threshold_rows >= 1 && table->cost.delta_atto == 0;

	if (!laplace && !stability && !sparse && !gaussian)
		return corrupt("noise, storage and threshold of a table do not belong together", error);
	if (gaussian)
		return check_gaussian(table, error);
	if (table->sensitivity_l2_squared != 0)
		return corrupt("a table has a sensitivity that its noise does not go by", error);
	if (table->cost.epsilon_nano < 1 || table->cost.epsilon_nano > DP_EPSILON_NANO_MAX ||
		table->cost.delta_atto < 0 || table->cost.delta_atto > DP_DELTA_ONE ||
		table->sensitivity_l1 < 1)
		return corrupt("cost or sensitivity of a table is impossible", error);
	return DP_OK;
}

/* Whether one cell stands strictly before the next. Ascending order hides the order of the rows
 * and excludes that a cell occurs twice. */
static bool
codes_ascend(const uint32_t *code, const uint32_t *next, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
	{
		if (code[k] != next[k])
			return code[k] < next[k];
	}
	return false;
}

static DpStatus
check_sparse_cells(const DpModel *model, const DpTable *table, DpError *error)
{
	if (table->n == 0)
		return corrupt("a sparse table has no attributes", error);
	for (uint64_t i = 0; i < table->cells; i++)
	{
		const uint32_t *code = table->code + i * table->n;

		for (uint32_t k = 0; k < table->n; k++)
		{
			if (code[k] >= model->domain.attribute[table->attribute[k]].levels)
				return corrupt("a cell has a code that is no level", error);
		}
		if (i > 0 && !codes_ascend(code - table->n, code, table->n))
			return corrupt("the cells of a sparse table do not ascend", error);
		if (table->value[i] < table->threshold_rows)
			return corrupt("a released cell lies below its threshold", error);
	}
	return DP_OK;
}

/* Adds the cells of a dense table to *dense_cells, which is limited over all tables. */
static DpStatus
check_table(const DpModel *model, const DpTable *table, uint64_t *dense_cells, DpError *error)
{
	DP_TRY(check_table_attributes(model, table, error));
	DP_TRY(check_table_noise(table, error));
	if (table->value == NULL || (table->storage == DP_SPARSE) != (table->code != NULL))
		return corrupt("a table lacks its cells", error);
	if (table->storage == DP_SPARSE)
		return check_sparse_cells(model, table, error);
	if (table->cells != dp_domain_cells(&model->domain, table->attribute, table->n))
		return corrupt("a dense table has not one value for each cell", error);
	if (table->cells > DP_MODEL_CELLS_MAX - *dense_cells)
		return corrupt("its dense tables have too many cells", error);
	*dense_cells += table->cells;
	return DP_OK;
}

static DpStatus
check_parameters(const DpModel *model, DpError *error)
{
	if (model->parameters > DP_MODEL_PARAMETERS_MAX)
		return corrupt("it has too many parameters", error);
	for (uint32_t i = 0; i < model->parameters; i++)
	{
		if (!is_name(model->parameter[i].name))
			return corrupt("a parameter has no name", error);
		for (uint32_t k = 0; k < i; k++)
		{
			if (strcmp(model->parameter[k].name, model->parameter[i].name) == 0)
				return corrupt("a parameter occurs twice", error);
		}
	}
	return DP_OK;
}

/* The replicates together have all tables and all of the structure, and none shares any with
 * another. */
static DpStatus
check_sets(const DpModel *model, DpError *error)
{
	uint64_t tables = 0;
	uint64_t structure = 0;

	if (model->structure_n > DP_MODEL_STRUCTURE_MAX || model->replicates > DP_REPLICATES_MAX)
		return corrupt("its structure is too large", error);
	if ((model->structure_n > 0 && model->structure == NULL) ||
		(model->replicates > 0) != (model->replicate != NULL))
		return corrupt("its structure is missing", error);
	for (uint32_t i = 0; i < model->replicates; i++)
	{
		if (model->replicate[i].rows < 0)
			return corrupt("a number of rows is impossible", error);
		tables += model->replicate[i].tables;
		structure += model->replicate[i].structure;
	}
	if (model->replicates > 0 && (tables != model->tables || structure != model->structure_n))
		return corrupt("its sets are not all of it", error);
	return DP_OK;
}

/* Checks the codes of the rows that one replicate holds. */
static DpStatus
check_codes(const DpModel *model, int64_t rows, const uint32_t *structure, uint32_t structure_n,
			DpError *error)
{
	uint32_t attributes = model->domain.attributes;

	if (attributes == 0 || structure_n % attributes != 0 || structure_n / attributes != rows)
		return corrupt("it has not as many rows as it says", error);
	for (uint32_t i = 0; i < structure_n; i++)
	{
		if (structure[i] >= model->domain.attribute[i % attributes].levels)
			return corrupt("a row has a code that is no level", error);
	}
	return DP_OK;
}

static DpStatus
check_rows(const DpModel *model, DpError *error)
{
	const uint32_t *structure = model->structure;

	if (!dp_model_holds_rows(model))
		return DP_OK;
	if (model->tables > 0)
		return corrupt("it has rows and tables", error);
	if (model->replicates == 0)
		return check_codes(model, model->rows, structure, model->structure_n, error);
	for (uint32_t i = 0; i < model->replicates; i++)
	{
		DP_TRY(check_codes(model, model->replicate[i].rows, structure,
						   model->replicate[i].structure, error));
		structure += model->replicate[i].structure;
	}
	return DP_OK;
}

DpStatus
dp_model_view(const DpModel *model, uint32_t set, DpModel *view)
{
	*view = *model;
	if (model->replicates == 0)
		return DP_OK;
	if (set < 1 || set > model->replicates)
		return DP_ERR_ARGUMENT;
	for (uint32_t i = 0; i + 1 < set; i++)
	{
		view->table += model->replicate[i].tables;
		view->structure += model->replicate[i].structure;
	}
	view->rows = model->replicate[set - 1].rows;
	view->tables = model->replicate[set - 1].tables;
	view->structure_n = model->replicate[set - 1].structure;
	view->replicates = 0;
	view->replicate = NULL;
	return DP_OK;
}

DpStatus
dp_model_check(const DpModel *model, DpError *error)
{
	uint64_t dense_cells = 0;

	if (!is_name(model->method))
		return corrupt("it names no method", error);
	if (!dp_unit_valid(&model->unit))
		return corrupt("it has an impossible privacy unit", error);
	if (model->rows < 0)
		return corrupt("a number of rows is impossible", error);
	DP_TRY(check_model_domain(&model->domain, error));
	if (model->tables > DP_MODEL_TABLES_MAX)
		return corrupt("it has too many tables", error);
	for (uint32_t i = 0; i < model->tables; i++)
		DP_TRY(check_table(model, &model->table[i], &dense_cells, error));
	DP_TRY(check_parameters(model, error));
	DP_TRY(check_sets(model, error));
	return check_rows(model, error);
}
