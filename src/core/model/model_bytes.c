/*
 * model_bytes.c -- models as bytes.
 *
 * Formats 1 to 4, all integers LEB128, signed ones zigzag first, a text its length
 * and its bytes:
 *
 *	byte      the version: 4 if there are zeros or priors, else 3 if a table has Gaussian
 *	          noise, else 2 if there are structure or sets, else 1
 *	text      method
 *	          neighbours (2: replace_one with a secret number of rows), rows_max, rows
 *	domain    (domain_bytes.c)
 *	          number of tables; each:
 *	byte        storage (bit 0), noise (bits 1 to 3)
 *	            number of attributes, and these; epsilon, delta, sensitivity, threshold;
 *	            of Gaussian noise rho, L2 sensitivity squared, sensitivity
 *	            dense: the values; a 0 is followed by the number of further zeros
 *	            sparse: number of cells; each its codes and its value - threshold
 *	          number of parameters; each:
 *	text        name
 *	            value, signed
 *	          not in format 1: number of integers of structure, and these;
 *	          number of sets; each: rows, tables, integers of structure
 *	          only in format 4: number of sets of zeros; each: number of attributes,
 *	          and these; number of combinations, and the codes of each. Number of priors;
 *	          each: number of attributes, and these; uncertainty; the counts
 *	8 bytes   FNV-1a of all before, little-endian: finds accidents, not forgers
 *
 * A table with an epsilon has no rho in the bytes: its rho follows from that epsilon.
 *
 * Each model has one such form. A longer varint, a run cut in two or a spare bit is refused, so
 * that equal models are equal bytes.
 */
#include "core/domain/domain_bytes.h"
#include "core/domain/priors.h"
#include "core/domain/zeros.h"
#include "core/model/model.h"

#define VERSION_PLAIN 1
#define VERSION_STRUCTURED 2
#define VERSION_GAUSSIAN 3
#define VERSION_PUBLIC 4

static void
put_dense(DpWriter *writer, const DpTable *table)
{
	for (uint64_t i = 0; i < table->cells; i++)
	{
		uint64_t first = i;

		dp_put_signed(writer, table->value[i]);
		if (table->value[i] != 0)
			continue;
		while (i + 1 < table->cells && table->value[i + 1] == 0)
			i++;
		dp_put_integer(writer, i - first);
	}
}

static void
put_sparse(DpWriter *writer, const DpTable *table)
{
	dp_put_integer(writer, table->cells);
	for (uint64_t i = 0; i < table->cells; i++)
	{
		for (uint32_t k = 0; k < table->n; k++)
			dp_put_integer(writer, table->code[i * table->n + k]);
		dp_put_integer(writer, (uint64_t) (table->value[i] - table->threshold_rows));
	}
}

static void
put_noise(DpWriter *writer, const DpTable *table)
{
	if (table->noise == DP_NOISE_GAUSSIAN)
	{
		dp_put_integer(writer, (uint64_t) table->cost.rho_pico);
		dp_put_integer(writer, (uint64_t) table->sensitivity_l2_squared);
		dp_put_integer(writer, (uint64_t) table->sensitivity_l1);
		return;
	}
	dp_put_integer(writer, (uint64_t) table->cost.epsilon_nano);
	dp_put_integer(writer, (uint64_t) table->cost.delta_atto);
	dp_put_integer(writer, (uint64_t) table->sensitivity_l1);
	dp_put_integer(writer, (uint64_t) table->threshold_rows);
}

static void
put_table(DpWriter *writer, const DpTable *table)
{
	dp_put_byte(writer, (unsigned char) ((unsigned) table->storage | (unsigned) table->noise << 1));
	dp_put_integer(writer, table->n);
	for (uint32_t k = 0; k < table->n; k++)
		dp_put_integer(writer, table->attribute[k]);
	put_noise(writer, table);
	if (table->storage == DP_DENSE)
		put_dense(writer, table);
	else
		put_sparse(writer, table);
}

static void
put_structure(DpWriter *writer, const DpModel *model)
{
	dp_put_integer(writer, model->structure_n);
	for (uint32_t i = 0; i < model->structure_n; i++)
		dp_put_integer(writer, model->structure[i]);
	dp_put_integer(writer, model->replicates);
	for (uint32_t i = 0; i < model->replicates; i++)
	{
		dp_put_integer(writer, (uint64_t) model->replicate[i].rows);
		dp_put_integer(writer, model->replicate[i].tables);
		dp_put_integer(writer, model->replicate[i].structure);
	}
}

static void
put_zeros(DpWriter *writer, const DpZeros *zeros)
{
	dp_put_integer(writer, zeros->sets);
	for (uint32_t s = 0; s < zeros->sets; s++)
	{
		const DpZeroSet *set = &zeros->set[s];

		dp_put_integer(writer, set->n);
		for (uint32_t k = 0; k < set->n; k++)
			dp_put_integer(writer, set->attribute[k]);
		dp_put_integer(writer, set->tuples);
		for (uint64_t i = 0; i < set->tuples * set->n; i++)
			dp_put_integer(writer, set->code[i]);
	}
}

static void
put_priors(DpWriter *writer, const DpDomain *domain)
{
	dp_put_integer(writer, domain->priors);
	for (uint32_t i = 0; i < domain->priors; i++)
	{
		const DpPrior *prior = &domain->prior[i];

		dp_put_integer(writer, prior->n);
		for (uint32_t k = 0; k < prior->n; k++)
			dp_put_integer(writer, prior->attribute[k]);
		dp_put_integer(writer, (uint64_t) prior->uncertainty_nano);
		for (uint64_t c = 0; c < prior->cells; c++)
			dp_put_integer(writer, (uint64_t) prior->count[c]);
	}
}

static unsigned char
version_of(const DpModel *model)
{
	if (model->domain.zeros.sets > 0 || model->domain.priors > 0)
		return VERSION_PUBLIC;
	for (uint32_t i = 0; i < model->tables; i++)
		if (model->table[i].noise == DP_NOISE_GAUSSIAN)
			return VERSION_GAUSSIAN;
	return model->structure_n > 0 || model->replicates > 0 ? VERSION_STRUCTURED : VERSION_PLAIN;
}

static void
put_model(DpWriter *writer, const DpModel *model)
{
	unsigned char version = version_of(model);

	dp_put_byte(writer, version);
	dp_put_text(writer, model->method);
	dp_put_integer(writer, (uint64_t) model->unit.neighbours + model->unit.rows_secret);
	dp_put_integer(writer, model->unit.rows_max);
	dp_put_integer(writer, (uint64_t) model->rows);
	dp_put_domain(writer, &model->domain);
	dp_put_integer(writer, model->tables);
	for (uint32_t i = 0; i < model->tables; i++)
		put_table(writer, &model->table[i]);
	dp_put_integer(writer, model->parameters);
	for (uint32_t i = 0; i < model->parameters; i++)
	{
		dp_put_text(writer, model->parameter[i].name);
		dp_put_signed(writer, model->parameter[i].value);
	}
	if (version != VERSION_PLAIN)
		put_structure(writer, model);
	if (version == VERSION_PUBLIC)
	{
		put_zeros(writer, &model->domain.zeros);
		put_priors(writer, &model->domain);
	}
	dp_put_digest(writer);
}

DpStatus
dp_model_serialise(const DpModel *model, unsigned char **bytes, size_t *length, DpArena *arena,
				   DpError *error)
{
	DpWriter writer = {.bytes = NULL};

	DP_TRY(dp_model_check(model, error));
	put_model(&writer, model);
	writer.bytes = dp_alloc(arena, writer.length, 1);
	if (writer.bytes == NULL)
		return dp_fail(error, DP_ERR_MEMORY, "no memory for the bytes of a model");
	writer.length = 0;
	put_model(&writer, model);
	*bytes = writer.bytes;
	*length = writer.length;
	return DP_OK;
}

/* A zero run lets a few bytes stand for many cells, hence the limit over all tables. */
static void
get_dense(DpReader *reader, const DpDomain *domain, DpTable *table, uint64_t *dense_cells)
{
	bool after_run = false;

	if (reader->status != DP_OK)
		return;
	table->cells = dp_domain_cells(domain, table->attribute, table->n);
	if (table->cells > DP_MODEL_CELLS_MAX - *dense_cells)
	{
		dp_reader_fault(reader, DP_ERR_CORRUPT, "its dense tables have too many cells");
		return;
	}
	*dense_cells += table->cells;
	table->value = dp_get_memory(reader, table->cells, sizeof(*table->value));
	for (uint64_t i = 0; i < table->cells && reader->status == DP_OK; i++)
	{
		table->value[i] = dp_get_signed(reader);
		if (table->value[i] != 0)
		{
			after_run = false;
			continue;
		}
		if (after_run)
			dp_reader_fault(reader, DP_ERR_CORRUPT, "a run of zeros is cut in two");
		after_run = true;
		i += dp_get_bounded(reader, table->cells - 1 - i);
	}
}

static void
get_sparse(DpReader *reader, DpTable *table)
{
	table->cells = dp_get_count(reader, UINT64_MAX, (uint64_t) table->n + 1);
	table->value = dp_get_memory(reader, table->cells, sizeof(*table->value));
	table->code = dp_get_memory(reader, table->cells, table->n * sizeof(*table->code));
	for (uint64_t i = 0; i < table->cells && reader->status == DP_OK; i++)
	{
		for (uint32_t k = 0; k < table->n; k++)
			table->code[i * table->n + k] = (uint32_t) dp_get_bounded(reader, UINT32_MAX);
		table->value[i] =
			table->threshold_rows +
			(int64_t) dp_get_bounded(reader, (uint64_t) (INT64_MAX - table->threshold_rows));
	}
}

static void
get_noise(DpReader *reader, DpTable *table)
{
	int64_t epsilon_nano;

	if (table->noise == DP_NOISE_GAUSSIAN)
	{
		table->cost = dp_cost_concentrated((int64_t) dp_get_bounded(reader, DP_RHO_PICO_MAX));
		table->sensitivity_l2_squared = (int64_t) dp_get_bounded(reader, INT64_MAX);
		table->sensitivity_l1 = (int64_t) dp_get_bounded(reader, INT64_MAX);
		return;
	}
	epsilon_nano = (int64_t) dp_get_bounded(reader, INT64_MAX);
	table->cost = dp_cost_approximate((DpBudget){
		.epsilon_nano = epsilon_nano, .delta_atto = (int64_t) dp_get_bounded(reader, INT64_MAX)});
	table->sensitivity_l1 = (int64_t) dp_get_bounded(reader, INT64_MAX);
	table->threshold_rows = (int64_t) dp_get_bounded(reader, INT64_MAX);
}

static void
get_table(DpReader *reader, const DpDomain *domain, DpTable *table, uint64_t *dense_cells)
{
	unsigned char flags = dp_get_byte(reader);

	if (flags >> 1 > DP_NOISE_GAUSSIAN)
		dp_reader_fault(reader, DP_ERR_CORRUPT, "a table has unknown flags");
	table->storage = flags & 1 ? DP_SPARSE : DP_DENSE;
	table->noise = (DpNoise) (flags >> 1);
	table->n = (uint32_t) dp_get_count(reader, domain->attributes, 1);
	table->attribute = dp_get_memory(reader, table->n, sizeof(*table->attribute));
	/* After a fault n is 0 or an attribute stays 0, which exists: no index is out of bounds. */
	for (uint32_t k = 0; k < table->n && reader->status == DP_OK; k++)
		table->attribute[k] = (uint32_t) dp_get_bounded(reader, domain->attributes - 1);
	get_noise(reader, table);
	if (table->storage == DP_DENSE)
		get_dense(reader, domain, table, dense_cells);
	else
		get_sparse(reader, table);
}

static void
get_structure(DpReader *reader, DpModel *model)
{
	model->structure_n = (uint32_t) dp_get_count(reader, DP_MODEL_STRUCTURE_MAX, 1);
	model->structure = dp_get_memory(reader, model->structure_n, sizeof(*model->structure));
	for (uint32_t i = 0; i < model->structure_n && reader->status == DP_OK; i++)
		model->structure[i] = (uint32_t) dp_get_bounded(reader, UINT32_MAX);
	model->replicates = (uint32_t) dp_get_count(reader, DP_REPLICATES_MAX, 3);
	if (model->replicates > 0)
		model->replicate = dp_get_memory(reader, model->replicates, sizeof(*model->replicate));
	for (uint32_t i = 0; i < model->replicates && reader->status == DP_OK; i++)
	{
		model->replicate[i].rows = (int64_t) dp_get_bounded(reader, INT64_MAX);
		model->replicate[i].tables = (uint32_t) dp_get_bounded(reader, DP_MODEL_TABLES_MAX);
		model->replicate[i].structure = (uint32_t) dp_get_bounded(reader, DP_MODEL_STRUCTURE_MAX);
	}
}

/* Reads a list of at most `maximum` attributes of the domain. It is empty if the domain has
 * none. */
static uint32_t *
get_attributes(DpReader *reader, const DpDomain *domain, uint32_t maximum, uint32_t *n)
{
	uint32_t *attribute;

	*n = (uint32_t) dp_get_count(reader,
								 domain->attributes < maximum ? domain->attributes : maximum, 1);
	attribute = dp_get_memory(reader, *n, sizeof(*attribute));
	for (uint32_t k = 0; k < *n && reader->status == DP_OK; k++)
		attribute[k] = (uint32_t) dp_get_bounded(reader, domain->attributes - 1);
	return attribute;
}

/* Only the sizes are checked here: dp_zeros_check() is called with the whole domain. */
static void
get_zeros(DpReader *reader, const DpDomain *domain, DpZeros *zeros)
{
	zeros->sets = (uint32_t) dp_get_count(reader, DP_ZEROS_SETS_MAX, 4);
	zeros->set = zeros->sets > 0 ? dp_get_memory(reader, zeros->sets, sizeof(*zeros->set)) : NULL;
	for (uint32_t s = 0; s < zeros->sets && reader->status == DP_OK; s++)
	{
		DpZeroSet *set = &zeros->set[s];

		set->attribute = get_attributes(reader, domain, DP_ZEROS_WIDTH_MAX, &set->n);
		set->tuples = dp_get_count(reader, DP_ZEROS_TUPLES_MAX, set->n > 0 ? set->n : 1);
		set->code = dp_get_memory(reader, set->tuples, set->n * sizeof(*set->code));
		for (uint64_t i = 0; i < set->tuples * set->n && reader->status == DP_OK; i++)
			set->code[i] = (uint32_t) dp_get_bounded(reader, UINT32_MAX);
	}
}

static void
get_prior(DpReader *reader, const DpDomain *domain, DpPrior *prior)
{
	prior->attribute = get_attributes(reader, domain, DP_PRIOR_WIDTH_MAX, &prior->n);
	prior->uncertainty_nano = (int64_t) dp_get_bounded(reader, INT64_MAX);
	if (reader->status != DP_OK)
		return;
	prior->cells = dp_domain_cells(domain, prior->attribute, prior->n);
	if (prior->cells > dp_reader_left(reader)) /* each takes a byte at least */
	{
		dp_reader_fault(reader, DP_ERR_CORRUPT, "it ends too early");
		return;
	}
	prior->count = dp_get_memory(reader, prior->cells, sizeof(*prior->count));
	for (uint64_t c = 0; c < prior->cells && reader->status == DP_OK; c++)
		prior->count[c] = (int64_t) dp_get_bounded(reader, INT64_MAX);
}

/* Only the sizes are checked here: dp_priors_check() is called with the whole domain. */
static void
get_priors(DpReader *reader, DpDomain *domain)
{
	domain->priors = (uint32_t) dp_get_count(reader, DP_PRIORS_MAX, 4);
	if (domain->priors > 0)
		domain->prior = dp_get_memory(reader, domain->priors, sizeof(*domain->prior));
	for (uint32_t i = 0; i < domain->priors && reader->status == DP_OK; i++)
		get_prior(reader, domain, &domain->prior[i]);
}

static void
get_model(DpReader *reader, DpModel *model)
{
	uint64_t dense_cells = 0; /* of the tables read so far */
	unsigned char version = dp_get_byte(reader);
	uint64_t neighbours;

	if (version < VERSION_PLAIN || version > VERSION_PUBLIC)
		dp_reader_fault(reader, DP_ERR_CORRUPT, "it is of an unknown version");
	model->method = dp_get_text(reader);
	neighbours = dp_get_bounded(reader, DP_REPLACE_ONE + 1);
	model->unit.rows_secret = neighbours > DP_REPLACE_ONE;
	model->unit.neighbours = (DpNeighbours) (neighbours - model->unit.rows_secret);
	model->unit.rows_max = (uint32_t) dp_get_bounded(reader, UINT32_MAX);
	model->rows = (int64_t) dp_get_bounded(reader, INT64_MAX);
	dp_get_domain(reader, &model->domain);
	model->tables = (uint32_t) dp_get_count(reader, DP_MODEL_TABLES_MAX, 6);
	model->table = dp_get_memory(reader, model->tables, sizeof(*model->table));
	for (uint32_t i = 0; i < model->tables && reader->status == DP_OK; i++)
		get_table(reader, &model->domain, &model->table[i], &dense_cells);
	model->parameters = (uint32_t) dp_get_count(reader, DP_MODEL_PARAMETERS_MAX, 2);
	model->parameter = dp_get_memory(reader, model->parameters, sizeof(*model->parameter));
	for (uint32_t i = 0; i < model->parameters && reader->status == DP_OK; i++)
	{
		model->parameter[i].name = dp_get_text(reader);
		model->parameter[i].value = dp_get_signed(reader);
	}
	if (version != VERSION_PLAIN)
		get_structure(reader, model);
	if (version == VERSION_PUBLIC)
	{
		get_zeros(reader, &model->domain, &model->domain.zeros);
		get_priors(reader, &model->domain);
	}
	if (reader->status == DP_OK && version != version_of(model))
		dp_reader_fault(reader, DP_ERR_CORRUPT, "it is of the wrong version");
	if (dp_reader_left(reader) > 0)
		dp_reader_fault(reader, DP_ERR_CORRUPT, "bytes are left over");
}

DpStatus
dp_model_parse(const unsigned char *bytes, size_t length, DpModel *model, DpArena *arena,
			   DpError *error)
{
	DpReader reader = {.name = "stored model", .arena = arena, .error = error, .status = DP_OK};

	*model = (DpModel){.rows = 0};
	if (!dp_bytes_digest_holds(bytes, length))
		return dp_fail(error, DP_ERR_CORRUPT, "stored model: its bytes do not match its digest");
	reader.at = bytes;
	reader.end = bytes + length - DP_DIGEST_BYTES;
	get_model(&reader, model);
	if (reader.status != DP_OK)
		return reader.status;
	return dp_model_check(model, error);
}
