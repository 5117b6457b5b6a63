/*
 * model.c -- the readers of stored models: whatever the bytes are, nothing outside of what was
 * allocated is read or written, and each index is one that exists.
 */
#define BYTES_MAX 64
#ifndef LENGTH
#define LENGTH 4
#endif
#include "proof_reader.h"

#include "core/model/model_bytes.c"

#ifndef CELLS
#define CELLS 3
#endif
#ifndef ATTRIBUTES
#define ATTRIBUTES 2
#endif

static uint64_t cells;

/* The product of the levels, which is at least 1: here it is any. */
uint64_t
dp_domain_cells(const DpDomain *domain, const uint32_t *attributes, uint32_t n)
{
	(void) domain;
	(void) attributes;
	(void) n;
	return cells;
}

/* A dense table of up to CELLS cells, of as many as are left in the model: no cell outside of it is
 * written, whatever runs of zeros the bytes say. */
void
prove_dense(void)
{
	DpReader reader = any_reader();
	DpDomain domain = {.attributes = 1};
	DpTable table = {.n = 1};
	uint64_t dense_cells = nondet_uint64(), before = dense_cells;

	cells = nondet_uint64();
	given(cells >= 1 && (cells <= CELLS || cells > DP_MODEL_CELLS_MAX));
	given(dense_cells <= DP_MODEL_CELLS_MAX);
	get_dense(&reader, &domain, &table, &dense_cells);
	holds(reader.at <= reader.end && dense_cells <= DP_MODEL_CELLS_MAX);
	holds(reader.status != DP_OK || (dense_cells == before + cells && table.cells == cells));
}

/* A sparse table of ATTRIBUTES attributes: no more cells than bytes, and each value is at the
 * threshold or above it. */
void
prove_sparse(void)
{
	DpReader reader = any_reader();
	DpTable table = {.n = ATTRIBUTES, .threshold_rows = nondet_int64()};
	uint64_t i = nondet_uint64();

	given(table.threshold_rows >= 0);
	get_sparse(&reader, &table);
	holds(reader.at <= reader.end && table.cells <= LENGTH / 2);
	given(i < table.cells);
	holds(reader.status != DP_OK || table.value[i] >= table.threshold_rows);
}

/* Structure and sets: each list is as long as its number says. */
void
prove_structure(void)
{
	DpReader reader = any_reader();
	DpModel model = {.rows = 0};

	get_structure(&reader, &model);
	holds(reader.at <= reader.end);
	holds(model.structure_n <= LENGTH && model.replicates <= LENGTH / 3);
	for (uint32_t i = 0; i < model.replicates && reader.status == DP_OK; i++)
		holds(model.replicate[i].tables <= DP_MODEL_TABLES_MAX && model.replicate[i].rows >= 0);
}

/* A list of attributes holds those of the domain alone, also of one that has none. */
void
prove_attributes(void)
{
	DpReader reader = any_reader();
	DpDomain domain = {.attributes = nondet_uint32()};
	uint32_t maximum = nondet_byte(), n, i = nondet_uint32(), *attribute;

	attribute = get_attributes(&reader, &domain, maximum, &n);
	holds(reader.at <= reader.end && n <= maximum && n <= domain.attributes);
	given(i < n && reader.status == DP_OK);
	holds(attribute[i] < domain.attributes);
}

/* One prior: as many counts as cells, which the bytes have room for. */
void
prove_prior(void)
{
	DpReader reader = any_reader();
	DpDomain domain = {.attributes = nondet_byte()};
	DpPrior prior = {.n = 0};

	cells = nondet_uint64();
	given(cells >= 1);
	get_prior(&reader, &domain, &prior);
	holds(reader.at <= reader.end);
	holds(prior.count == NULL || prior.cells <= LENGTH);
	holds(reader.status != DP_OK || prior.cells == cells);
}
