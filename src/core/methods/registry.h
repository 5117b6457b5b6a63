/*
 * methods.h -- the methods there are, one per file method_<name>.c; the
 * registry in method.c lists them.
 */
#ifndef DP_METHODS_H
#define DP_METHODS_H

#include "method.h"

extern const DpMethod dp_method_sbhg;
extern const DpMethod dp_method_sba;
extern const DpMethod dp_method_steps;
extern const DpMethod dp_method_uh;
extern const DpMethod dp_method_flat;
extern const DpMethod dp_method_privbayes;
extern const DpMethod dp_method_pegs;
extern const DpMethod dp_method_pegs_ldiversity;
extern const DpMethod dp_method_pmi;
extern const DpMethod dp_method_marginal;
extern const DpMethod dp_method_histogram;
extern const DpMethod dp_method_cathist;
extern const DpMethod dp_method_cipher;
extern const DpMethod dp_method_mwem;
extern const DpMethod dp_method_mst;
extern const DpMethod dp_method_aim;

/* Tells whoever waits that a stage begins; its name is public. */
extern void dp_announce(const DpMeasurement *m, const char *stage);

#endif
