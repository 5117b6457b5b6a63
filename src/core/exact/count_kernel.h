/*
 * count_kernel.h -- the innermost loops of counting: a batch of rows, one column after the
 * other.
 */
#ifndef DP_COUNT_KERNEL_H
#define DP_COUNT_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/status.h"

#define DP_BATCH_ROWS 512
#define DP_NARROW_LEVELS_MAX 65536 /* codes and cells that fit 16 bits */

/* Sets narrow[i] to code[i]. The result is false if a code is no level. */
extern bool dp_kernel_narrow(const uint32_t *code, uint32_t rows, uint32_t levels,
							 uint16_t *narrow);
/* Adds at most DP_BATCH_ROWS rows to a table of at most DP_NARROW_LEVELS_MAX cells; the codes are
 * levels. */
extern void dp_kernel_count_narrow(const uint16_t *const *column, const uint32_t *levels,
								   uint32_t n, uint32_t rows, uint32_t *count);
/* Adds rows to a table of at most 2^32 cells. */
extern void dp_kernel_count_wide(const uint32_t *const *column, const uint32_t *levels, uint32_t n,
								 uint32_t rows, uint32_t *count);
/* The same where row i stands for rows_of[i] rows, which are two numbers in a word or one. */
extern void dp_kernel_add_narrow(const uint16_t *const *column, const uint32_t *levels, uint32_t n,
								 uint32_t rows, const uint64_t *rows_of, uint64_t *count);
extern void dp_kernel_add_wide(const uint32_t *const *column, const uint32_t *levels, uint32_t n,
							   uint32_t rows, const uint64_t *rows_of, uint64_t *count);
/* The same to a table of at most 2^32 cells whose codes fit 16 bits. */
extern void dp_kernel_add_widened(const uint16_t *const *column, const uint32_t *levels, uint32_t n,
								  uint32_t rows, const uint64_t *rows_of, uint64_t *count);
/*
 * Adds a table, count[cells], row-major over levels[n], to one of its margins, into.
 * Attribute k has stride[k] there; a stride of 0 means that it is summed out.
 */
extern void dp_kernel_project(const uint32_t *count, const uint32_t *levels, uint32_t n,
							  const uint64_t *stride, int64_t *into);
extern void dp_kernel_project_added(const uint64_t *count, const uint32_t *levels, uint32_t n,
									const uint64_t *stride, uint64_t *into);

#endif
