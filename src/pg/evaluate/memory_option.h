/*
 * memory_option.h -- how much memory an evaluation may take. Runs in the caller's backend.
 */
#ifndef DPSYN_MEMORY_OPTION_H
#define DPSYN_MEMORY_OPTION_H

#include "pg/server/compat.h"

/* The bytes that the option "memory" says; without it (NULL) what counting may take, or
 * maintenance_work_mem where that is more. ERROR for words that are no amount of memory. */
extern uint64 dp_memory_of_option(const char *words);

#endif
