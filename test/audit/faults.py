"""Builds that are wrong on purpose: the audit must say so, each time and by the right check.

Each fault is one replacement in a copy of the sources. The copy is built beside the
installed extension, not over it, and the audit is run with its library. A replacement
that does not match exactly once is a failure: a fault that cannot be planted any more
must not pass for one that is caught.

Faults that share a build do not meet: none is on the way of what another one's case runs
through.
"""
import itertools
import os
import re
import shutil
import subprocess
import sys
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from dptest import Tap, connect, one, run, wait_until  # noqa: E402

ROOT = os.environ["DPSYN_ROOT"]

# replacements: (file, old, new). cases: what the audit runs, with =releases. caught_by: a pattern of
# the whole name of the check that fails; other checks may fail as well, but not those in SOUND.
Fault = namedtuple("Fault", "build name replacements cases caught_by")

SOUND = re.compile(r"this library alone|\d+ releases|all cases that were asked for|beta tail|chi-square tail|"
                   r"Clopper-Pearson against|against its total|rho of randomised response")

FAULTS = [
    Fault(1, "threshold off by one",
          [("src/core/mechanism/stability.c",
            "\t*threshold_rows = high;\n", "\t*threshold_rows = high - 1;\n")],
          "sbhg-stability-rare/add_remove=350",
          r"sbhg stability rare, add_remove: with it, that shows .*"),
    Fault(1, "a block of rows draws from the same counts again",
          [("src/core/mechanism/perturbed.c", "counts->visited == perturbed->block;",
            "counts->visited == perturbed->block && perturbed->block == 0;")],
          "pegs-block/replace_one=150", r"pegs block, replace_one: rows without the unit have the distribution of .*"),
    Fault(1, "the rho of epsilon is epsilon^2 / 8, for all that has noise",
          [("src/core/accounting/zcdp.c", "round_up(epsilon * tanhl(epsilon / 2) *",
            "round_up(epsilon * epsilon / 8 *")],
          "account-laplace/add_remove=400", r"account laplace, add_remove: rho is at least .*"),
    Fault(1, "the exponential mechanism takes half of the sensitivity",
          [("src/core/plan/privacy_measure.c",
            "\t\treturn dp_select_concentrated(noise, scores, amount, chosen);\n",
            "\t\treturn dp_select_concentrated(noise, &(DpScores){scores->score, scores->n, scores->sensitivity / 2},\n"
            "\t\t\t\t\t\t\t\t\t  amount, chosen);\n")],
          "aim-chosen-concentrated/replace_one=400",
          r"aim chosen concentrated, replace_one: its first choice has the distribution of .*"),
    Fault(1, "a choice among those that fit takes twice its rate",
          [("src/core/mechanism/exponential.c", "\tfor (;;)\n\t{\n\t\tDP_TRY(offer(noise->rng, rate, scores, allowed->refused",
            "\trate.numerator *= 2;\n\tfor (;;)\n\t{\n\t\tDP_TRY(offer(noise->rng, rate, scores, allowed->refused")],
          "aim-batch-concentrated/replace_one=400",
          r"aim batch concentrated, replace_one: its first choice has the distribution of .*"),
    Fault(1, "with many columns aim takes half of its sensitivity",
          [("src/core/methods/aim/aim_choice.c", ".sensitivity = choice->plan->rounds.sensitivity};",
            ".sensitivity = choice->plan->rounds.sensitivity / (choice->plan->forest ? 2 : 1)};")],
          "aim-many-columns/replace_one=400",
          r"aim many columns, replace_one: its first choice has the distribution of .*"),
    Fault(1, "the unit of scores is forgotten in the sensitivity",
          [("src/core/plan/privacy_measure.c",
            "\treturn dp_select(noise, scores, amount, chosen);\n",
            "\treturn dp_select(noise, &(DpScores){scores->score, scores->n, scores->sensitivity / 4},\n"
            "\t\t\t\t\t amount, chosen);\n")],
          "aim-chosen/replace_one=250", r"aim chosen, replace_one: its first choice has the distribution of .*"),
    Fault(1, "rows that count in full get the noise of one row",
          [("src/pg/release/request_tree.c", "\tpart->request.unit.rows_max = table->unit_rows;\n",
            "\tpart->request.unit.rows_max = 1;\n")],
          "tree-whole/add_remove=150", r"tree whole, add_remove: by the width of noise rho is at least .*"),
    Fault(1, "rows of a person beyond the bound are read with what the person is",
          [("src/pg/worker/source.c", ".rows_max = rows_max};",
            ".rows_max = rows_max * (list_length(dp_asked_of_columns(relation, dataset)->relations) == 1 ? 1 : 20)};")],
          "query-above/add_remove=1200", r"query above, add_remove: epsilon is at least .*"),
    Fault(1, "values are not clamped",
          [("src/core/domain/query.c",
            "\tif (coordinate < statistic->first)\n\t\treturn statistic->first;\n"
            "\treturn coordinate > statistic->last ? statistic->last : coordinate;\n",
            "\treturn coordinate + 0 * statistic->first;\n"),
           ("src/pg/domain/grid.c",
            "\tif (coordinate < coder->grid.first)\n\t\treturn coder->grid.first;\n"
            "\treturn coordinate > coder->grid.last ? coder->grid.last : coordinate;\n",
            "\treturn coordinate;\n")],
          "query-sum-clamped/add_remove=1200",
          r"query sum clamped, add_remove: epsilon is at least .*"),
    Fault(1, "a sum goes by its upper bound alone",
          [("src/core/domain/query.c",
            "\treturn (int64_t) larger(1, larger(largest, -(__int128) least));",
            "\treturn (int64_t) larger(1, largest);")],
          "query-sum-negative/add_remove=1200",
          r"query sum negative, add_remove: epsilon is at least .*"),
    Fault(1, "the choice of the number of parents takes what one column's table moves by",
          [("src/core/methods/sbhg/parents_number.c",
            "dp_dependence_sensitivity(unit) * (int64_t) domain->attributes;",
            "dp_dependence_sensitivity(unit) * (domain->attributes > 0);")],
          "sbhg-number/replace_one=800", r"sbhg number, replace_one: its only choice has the distribution of .*"),
    Fault(1, "mutual information takes a fifth of its sensitivity",
          [("src/core/select/pairs.c", "return SENSITIVITY_ONE_ROW * rows", "return SENSITIVITY_ONE_ROW / 5 * rows")],
          "sbhg-information/replace_one=300",
          r"sbhg information, replace_one: the parents of .* are drawn by permute-and-flip .*"),
    Fault(1, "BIC is taken for a score that a row moves by a half",
          [("src/core/select/aic.c", "return 3 * DP_AIC_UNIT * (int64_t) unit->rows_max + 3;",
            "return DP_AIC_UNIT / 2 * (int64_t) unit->rows_max + 3;")],
          "steps-bic/add_remove=800", r"steps bic, add_remove: its only choice has the distribution of .*"),
    Fault(1, "a row is taken to move the difference of two groups by a sixth of what it does",
          [("src/core/methods/steps/steps_clusters.c", "return row * (int64_t) dp_unit_l1(unit) + ROUNDING;",
            "return row / 6 * (int64_t) dp_unit_l1(unit) + ROUNDING;")],
          "steps-clusters/add_remove=800", r"steps clusters, add_remove: its only choice has the distribution of .*"),
    Fault(2, "the rows of a person count as one row too many each",
          [("src/pg/worker/source_tree.c", "CASE WHEN place <= %s %% m THEN 1 ELSE 0 END)",
            "CASE WHEN place <= %s * m THEN 1 ELSE 0 END)"),
           ("src/core/exact/sibling_rows.c", "(place <= all % m ? 1 : 0)", "(place <= all * m ? 1 : 0)")],
          "tree/add_remove=150", r"tree, add_remove: the noise of .*"),
    Fault(2, "an alpha with a shape has nothing for values that the margin does not show",
          [("src/core/mechanism/perturbed.c", "counts, weight, perturbed->alpha.base, code);",
            "counts, weight, counts->extra_upto == NULL ? perturbed->alpha.base : 0, code);")],
          "pegs-shaped/replace_one=300", r"pegs shaped, replace_one: rows without the unit have the distribution of .*"),
    Fault(2, "a narrowed range bounds the noise, and not what a row adds",
          [("src/core/methods/query/method_query.c",
            "DP_TRY(dp_sums_init(&sums, query->statistic,",
            "DP_TRY(dp_sums_init(&sums, ((const DpQueryPlan *) m->plan->private_data)->statistic,")],
          "query-narrow/add_remove=1200", r"query narrow, add_remove: epsilon is at least .*"),
    Fault(2, "the choice of a quantile goes by a tenth of the smaller of q and 1 - q",
          [("src/core/domain/query.c",
            "\treturn 2 * (q > NANO - q ? q : NANO - q);\n",
            "\treturn 2 * (q > NANO - q ? NANO - q : q) / 10;\n")],
          "query-quantile/add_remove=2000",
          r"query quantile, add_remove: epsilon is at least .*"),
    Fault(2, "delta ignored: cells are released without regard to the threshold",
          [("src/core/mechanism/stability_release.c",
            "\t\tif (noisy[i] < threshold)\n\t\t\tnoisy[i] = 0;\n",
            "\t\tif (noisy[i] < threshold)\n\t\t\tnoisy[i] = threshold;\n")],
          "sbhg-open-rare/replace_one=150", r"sbhg open rare, replace_one: with it, that shows .*"),
    Fault(2, "all rows of a person count",
          [("src/pg/worker/source.c", " c WHERE place <= %u\"", " c WHERE place <= %u OR true\""),
           ("src/core/exact/row_cache.c", "for (uint32_t i = rows_max; i < count[u]; i++)",
            "for (uint32_t i = rows_max; i < rows_max; i++)")],
          "sba-unit-dense/add_remove=1200", r"sba unit dense, add_remove: epsilon is at least .*"),
    Fault(2, "from its second round on mwem takes half of the sensitivity",
          [("src/core/methods/mwem/method_mwem.c", "dp_mwem_sensitivity(&m->plan->request->unit)},",
            "dp_mwem_sensitivity(&m->plan->request->unit) / (round > 0 ? 2 : 1)},")],
          "mwem-second/replace_one=500", r"mwem second, replace_one: its second choice has the distribution of .*"),
    Fault(2, "the exponential mechanism has twice the epsilon of its rho",
          [("src/core/mechanism/exponential.c", "(unsigned __int128) rho_pico * 8000000;",
            "(unsigned __int128) rho_pico * 32000000;")],
          "mst-chosen-concentrated/replace_one=500",
          r"mst chosen concentrated, replace_one: rho is at least .*"),
    Fault(2, "aim takes its score for one that a row moves by 1, whatever the neighbours",
          [("src/core/methods/aim/aim_plan.c",
            "\tpaid->sensitivity = dp_unit_l1(&aim->privacy_measure.unit) * SCORE_ONE;\n",
            "\tpaid->sensitivity = SCORE_ONE;\n")],
          "aim-chosen/replace_one=500", r"aim chosen, replace_one: its first choice has the distribution of .*"),
    Fault(2, "a tree has no bias: counts lose nothing with depth",
          [("src/core/mechanism/privtree.c", "\trule->level_rows = (int64_t) ((above + below - 1) / below);",
            "\trule->level_rows = (int64_t) ((above + below - 1) / below) * 0;")],
          "range-tree/add_remove=300", r"range tree, add_remove: its tree's choice has the distribution of .*"),
    Fault(3, "an edge is chosen as if a row moved its score by half of its unit",
          [("src/core/plan/place_boundaries.c", "dp_unit_l1(&plan->request->unit) * DP_EDGE_SCORE_UNIT;",
            "dp_unit_l1(&plan->request->unit) * DP_EDGE_SCORE_UNIT / 2;")],
          "edge/add_remove=300", r"edge, add_remove: its edge's choice has the distribution of .*"),
    Fault(3, "a hierarchy is left aside where its first category has rows",
          [("src/core/plan/discover_ranges.c", "\tif (range->boundary != NULL)\n\t\ttree =",
            "\tif (range->boundary != NULL && counts[0] == 0)\n\t\ttree =")],
          "hierarchy-tree/add_remove=300", r"hierarchy tree, add_remove: its tree's choice has the distribution of .*"),
    Fault(3, "the rows around a quantile are told as they are",
          [("src/core/methods/query/method_query.c",
            "\tdp_free(arena, exact, cells, sizeof(*exact));\n\tfor (uint32_t t",
            "\tfor (uint64_t c = 0; tables > 1 && c < cells; c++)\n\t\tnoisy[c] = exact[c];\n"
            "\tdp_free(arena, exact, cells, sizeof(*exact));\n\tfor (uint32_t t")],
          "query-quantile/add_remove=2000",
          r"query quantile, add_remove: epsilon is at least .*"),
    Fault(3, "parents are the best, not drawn",
          [("src/core/mechanism/mechanism.c",
            "\t\tDP_TRY(dp_gap_survives(rng, rate, (uint64_t) best - (uint64_t) scores->score[i], &heads));\n",
            "\t\t(void) rate;\n\t\theads = scores->score[i] == best;\n")],
          "sbhg-selected/add_remove=1400", r"sbhg selected, add_remove: epsilon is at least .*"),
    Fault(3, "from its second choice on privbayes takes a quarter of the sensitivity",
          [("src/core/methods/privbayes/network.c", "\t\t\t\t\t\t\t\t\t .sensitivity = sensitivity},\n",
            "\t\t\t\t\t\t\t\t\t .sensitivity = sensitivity / (s->network->n > 1 ? 4 : 1)},\n")],
          "privbayes-second/replace_one=500", r"privbayes second, replace_one: its second choice has the distribution of .*"),
    Fault(3, "a tree pays for a row that is replaced as for one that is added",
          [("src/core/mechanism/privtree.c", "(goal->unit.neighbours == DP_REPLACE_ONE ? PATH_UNIT : 0)",
            "(goal->unit.neighbours == DP_REPLACE_ONE ? 0 : 0)")],
          "range-tree/replace_one=400", r"range tree, replace_one: its tree's choice has the distribution of .*"),
    # as many bins: the parent's model has a number of levels
    Fault(6, "bins that are known are found anew, by rows",
          [("src/core/plan/discover_ranges.c",
            "\t\tif (from == NULL)\n\t\t\tcontinue;\n",
            "\t\tif (from == NULL)\n\t\t\tcontinue;\n"
            "\t\tDpMarginal exact;\n\t\tDpRange *own = dp_memdup(m->arena, from->range, sizeof(*own));\n"
            "\t\tint64_t first[16];\n\n\t\tfor (int i = 0; i < 16; i++)\n\t\t\tfirst[i] = i;\n"
            "\t\tif (own == NULL || count_cells(m, &a, 1, &exact, NULL) != DP_OK ||\n"
            "\t\t\tdp_range_find(&(DpNoisyLeaves){.n = 16, .first = first, .count = exact.dense, .stddev_rows = 1, .rare_rows = 1}, own, m->noise.tick, m->arena) != DP_OK)\n"
            "\t\t\tcontinue;\n"
            "\t\tfound->attribute[a].range = own->bins == from->range->bins ? own : from->range;\n"
            "\t\tfound->attribute[a].labels = dp_range_labels(found->attribute[a].range, m->arena);\n"
            "\t\tfound->attribute[a].labels_n = found->attribute[a].range->bins + 1;\n"
            "\t\tdp_attribute_count_levels(&found->attribute[a]);\n"
            "\t\tcontinue;\n")],
          "range-taken/add_remove=300", r"range taken, add_remove: its tree's choice has the distribution of .*"),
    Fault(6, "far values are told as they are",
          [("src/core/plan/discover_ranges.c", "\trare_rows = stddev_rows * (",
            "\tfor (uint32_t i = 0; i < cells.marks; i++)\n\t\tnoisy[leaves + i] = marks[i];\n\trare_rows = stddev_rows * (")],
          "range-far/add_remove=400", r"range far, add_remove: its far value's choice has the distribution of .*"),
    Fault(7, "a SELECT counts four times as many rows of a person as the bound that it found",
          [("src/pg/worker/scan_sums.c", "dp_source_with_bound(reader->source, rows_max, reader->largest_unit);",
            "dp_source_with_bound(reader->source, 4 * rows_max, reader->largest_unit);")],
          "sql-count/add_remove=900", r"sql count, add_remove: epsilon is at least .*"),
    Fault(8, "what a person adds to a sum of a SELECT is not cut at the bound that it found",
          [("src/core/exact/sums.c", "\tbool over = most > 0 && size", "\tbool over = most < 0 && size")],
          "sql-sum/add_remove=400", r"sql sum, add_remove: epsilon is at least .*"),
    Fault(8, "a sub-query by person gives all rows of each, and all count",
          [("src/pg/worker/source_asked.c", "\" FROM %s%s GROUP BY %s) %s\"", "\" FROM %s%s GROUP BY s0.ctid, %s) %s\""),
           ("src/pg/worker/source.c", "\tif (dataset->unit_column == NULL && dp_asked_by_select(relation))\n\t{",
            "\tif ((dataset->unit_column == NULL ||\n"
            "\t\t (relation->asked != NULL &&\n"
            "\t\t  ((DpAskedRelation *) linitial(((const DpAsked *) relation->asked)->relations))->units != NULL)) &&\n"
            "\t\trelation->asked != NULL)\n\t{")],
          "sql-by-person/add_remove=400", r"sql by person, add_remove: epsilon is at least .*"),
    Fault(7, "a row is joined to the largest of what all persons give",
          [("src/pg/worker/source_asked.c", "\treturn psprintf(\"pg_catalog.%s(%s)\", dp_unit_aggregate_name(aggregate->kind),",
            "\treturn psprintf(\"pg_catalog.max(pg_catalog.%s(%s)) OVER ()\", dp_unit_aggregate_name(aggregate->kind),")],
          "sql-beside-person/add_remove=700", r"sql beside person, add_remove: epsilon is at least .*"),
    Fault(5, "the sum under a mean of a SELECT has the noise of a fifth of its range",
          [("src/core/domain/query.c", "\tint64_t high = dp_statistic_value(statistic, statistic->last);\n\n",
            "\tint64_t high = dp_statistic_value(statistic, statistic->last);\n\n"
            "\tif (statistic->kind == DP_STATISTIC_CENTRED)\n\t{\n\t\t*least = low / 5;\n\t\t*largest = high / 5;\n\t\treturn;\n\t}\n")],
          "sql-avg/add_remove=1600", r"sql avg, add_remove: epsilon is at least .*"),
    Fault(3, "values that nobody has are never told",
          [("src/core/mechanism/sparse_histogram.c",
            "\tbool kept = false;\n\n\trelease->hit = start;\n",
            "\tbool kept = release->cells > 0;\n\n\trelease->hit = release->cells;\n")],
          "histogram-cathist/add_remove=350", r"histogram cathist, add_remove: epsilon is at least .*"),
    Fault(3, "three quarters of sigma",
          [("src/core/mechanism/gaussian.c",
            "uint64_t unit = HALF_RHO_ONE, common;", "uint64_t unit = HALF_RHO_ONE / 16 * 9, common;")],
          "mst-gaussian/add_remove=300", r"mst gaussian, add_remove: by the width of noise rho is at least .*"),
    Fault(3, "whether a row refers to another tree is looked up there",
          [("src/pg/worker/source.c", "\t\treturn dp_reference_condition(column, of);\n",
            "\t\treturn psprintf(\"EXISTS (SELECT FROM %s_doctors o WHERE o.id = %s%s)\",\n"
            "\t\t\t\t\t\tdp_relation_label(relation->oid), of,\n"
            "\t\t\t\t\t\tquote_identifier(linitial(column->refers)));\n")],
          "forest-referred=250", r"forest referred, add_remove: epsilon is at least .*"),
    Fault(3, "of several trees the first alone is paid for",
          [("src/pg/worker/worker.c", "\t\ttree->line = ledger_line(tree);\n",
            "\t\ttree->line = ledger_line(tree);\n\t\tif (i > 0)\n\t\t\ttree->line.cost = (DpBudget){0};\n")],
          "forest=10", r"forest, add_remove: each tree is charged .*"),
    Fault(2, "the budget of the first of several trees pays for all",
          [("src/pg/worker/worker.c", "\t\ttree->debit = dp_ledger_debit(&tree->line);\n",
            "\t\ttree->line.dataset = &state->tree[0].prepared->dataset;\n"
            "\t\ttree->debit = dp_ledger_debit(&tree->line);\n")],
          "forest=10", r"forest, add_remove: each tree is charged .*"),
    Fault(2, "a table that is protected passes for public, and its keys for a list",
          [("src/pg/budget/public_relation.c", "has_rows_of_people(Oid relation, int32 dataset)\n{\n\treturn dp_catalog_finds(",
            "has_rows_of_people(Oid relation, int32 dataset)\n{\n\treturn relation == InvalidOid && dp_catalog_finds("),
           ("src/pg/domain/relation.c", "\t\t   !refers_to_protected(relation, form->attnum, true);",
            "\t\t   (true || !refers_to_protected(relation, form->attnum, true));")],
          "published=150", r"published, add_remove: epsilon is at least .*"),
    Fault(3, "of a key of several columns the first tells units apart",
          [("src/pg/worker/source.c", "\tList *columns = unit_columns(dataset, &holder);",
            "\tList *columns = list_truncate(unit_columns(dataset, &holder), 1);")],
          "unit-of-parents/add_remove=100", r"unit of parents, add_remove: the noise of .*"),
    Fault(4, "half the noise",
          [("src/core/mechanism/mechanism.c",
            "DpStatus status = dp_laplace_rate(distribution, &rate);",
            "DpStatus status = dp_laplace_rate((DpLaplace){2 * distribution.epsilon_nano, "
            "distribution.sensitivity_l1}, &rate);")],
          "sba-dense/add_remove=300", r"sba dense, add_remove: by the width of noise epsilon is at least .*"),
    Fault(4, "scores of mst and aim move by twice what was proved",
          [("src/core/plan/graphical_score.c",
            "\tint64_t gap = count * DP_SCORE_UNIT - rounded;\n",
            "\tint64_t gap = 2 * (count * DP_SCORE_UNIT - rounded);\n")],
          "mst-chosen-concentrated/add_remove=500",
          r"mst chosen concentrated, add_remove: rho is at least .*"),
    Fault(4, "aim gains twice of a table what its score is proved for",
          [("src/core/plan/graphical_score.c", "\t*gain = (sum - ",
            "\t*gain = 2 * (sum - ")],
          "aim-chosen/replace_one=500", r"aim chosen, replace_one: its first choice has the distribution of .*"),
    # of what mwem chooses from nothing is measured before, where the number of rows is public
    Fault(4, "permute-and-flip has twice the epsilon that it is charged",
          [("src/core/mechanism/mechanism.c", "\tDP_TRY(dp_select_rate(scores, epsilon_nano, &rate));\n",
            "\tDP_TRY(dp_select_rate(scores, 2 * epsilon_nano, &rate));\n")],
          "mwem/replace_one=500", r"mwem, replace_one: its first choice has the distribution of .*"),
    # not in one build with "each scan has a key of its own": a tree takes several scans
    Fault(7, "half of the rows that count in full are paid for",
          [("src/pg/domain/table_tree.c", "\ttable->unit_rows = full * table->full_row",
            "\ttable->unit_rows = (full + 1) / 2 * table->full_row")],
          "tree-full/add_remove=150", r"tree full, add_remove: by the width of noise rho is at least .*"),
    Fault(4, "the groups of a long list lose no more rows than the fourth level of their tree",
          [("src/core/mechanism/privtree.c", "node->low] - node->depth * level_rows;",
            "node->low] - (node->depth < 4 ? node->depth : 4) * level_rows;")],
          "list-tree/add_remove=300", r"list tree, add_remove: its tree's choice has the distribution of .*"),
    # not in one build with "the unit is not in the hash": where all units choose alike, scans do so one
    # time in 81
    Fault(4, "each scan has a key of its own",
          [("src/pg/worker/scan.c", "\tParamListInfo parameters = makeParamList(2);\n\n",
            "\tParamListInfo parameters = makeParamList(2);\n\n"
            "\tif (source->key)\n\t\tVARDATA(source->key)[0]++;\n")],
          "bounding", r"bounding: all scans of a release read the same rows, .*"),
    Fault(5, "the debit is committed with the answer, after the data was read",
          [("src/pg/worker/worker.c",
            "whether the debit was committed */\n\ttransaction_commit();\n",
            "whether the debit was committed */\n\tCommandCounterIncrement();\n"),
           ("src/pg/worker/worker.c",
            "\ttransaction_begin(true);\n\tMemoryContextSwitchTo(state->memory);\n\trelease_measure",
            "\tUpdateActiveSnapshotCommandId();\n"
            "\tMemoryContextSwitchTo(state->memory);\n\trelease_measure")],
          "debit", r"the debit is committed before the data is read"),
    Fault(5, "the number of rows is public, whoever shares the budget",
          [("src/core/accounting/privacy_unit.c",
            "unit->neighbours == DP_REPLACE_ONE && unit->rows_max == 1 && !unit->rows_secret;",
            "unit->neighbours == DP_REPLACE_ONE && unit->rows_max == 1;")],
          "shared-rows/replace_one=600", r"shared rows, replace_one: epsilon is at least .*"),
    Fault(5, "what is stated of a view is forgotten",
          [("src/pg/budget/dataset.c",
            "\treturn (DpUnit){DP_REPLACE_ONE, steps * (uint32) dataset->sensitivity, true};\n",
            "\treturn (DpUnit){DP_ADD_REMOVE, steps, false};\n")],
          "view-stated/add_remove=300", r"view stated, add_remove: by the width of noise epsilon is at least .*"),
    Fault(5, "all rows of a person count in a view",
          [("src/pg/worker/source.c", "\tif (dataset->unit_column == NULL)\n",
            "\tif (dataset->unit_column == NULL || dp_is_view(relation->oid))\n")],
          "view-joined/add_remove=100", r"view joined, add_remove: the noise of .*"),
    Fault(5, "a row belongs to its parent's row, whoever has that",
          [("src/pg/worker/source_asked.c", "\treturn unit;\n",
            "\tif (OidIsValid(dataset->parent))\n\t\tunit = NIL;\n"
            "\tfor (int i = 0; OidIsValid(dataset->parent) && i < dp_dataset_reference(dataset)->columns; i++)\n"
            "\t\tunit = lappend(unit, psprintf(\"%s.%s\", alias_of(asked, 0),\n"
            "\t\t\t\t\t\t\t\t\t   quote_identifier(dp_dataset_reference(dataset)->column[i])));\n"
            "\treturn unit;\n"),
           ("src/pg/budget/parent.c", "\t\tif (!OidIsValid(up.parent))\n\t\t\treturn dp_dataset_reference(&at);\n",
            "\t\treturn dp_dataset_reference(&at);\n")],
          "unit-of-parents/add_remove=100", r"unit of parents, add_remove: .*"),
    Fault(4, "rows are of one person where their numbers are written alike",
          [("src/pg/worker/source.c", "\" (PARTITION BY %s ORDER BY", "\" (PARTITION BY %s::pg_catalog.text ORDER BY"),
           ("src/pg/counting/row_cache.c",
            "\t\tif (!DatumGetBool(FunctionCall2Coll(state->key[k].equal, state->key[k].collation,\n"
            "\t\t\t\t\t\t\t\t\t\t\tstate->value[(Size) unit * state->keys + k], value[k])))\n",
            "\t\tif (!datum_image_eq(state->value[(Size) unit * state->keys + k], value[k],\n"
            "\t\t\t\t\t\t\tstate->key[k].by_value, state->key[k].length))\n")],
          "unit-spelt/add_remove=100", r"unit spelt, add_remove: the noise of .*"),
    Fault(5, "a foreign key serves, whatever it holds to be equal",
          [("src/pg/server/foreign_key.c", ".obstacle = obstacle_of(&constraint)}",
            ".obstacle = obstacle_of(&constraint) ? NULL : NULL}")],
          "unit-of-keys/add_remove=100", r"unit of keys, add_remove: the noise of .*"),
    Fault(5, "rows of a person beyond the bound count in a tree",
          [("src/pg/worker/source_tree.c", " z WHERE z.place <= %u\"\n", " z WHERE z.place <= 9 * %u\"\n"),
           ("src/pg/worker/tree_reader.c", ".rows_max = table->dataset.rows_per_parent,",
            ".rows_max = 9 * table->dataset.rows_per_parent,"),
           ("src/pg/worker/tree_reader.c", "\t\t\treturn part->rows.siblings[row] - 1;\n",
            "\t\t\treturn 0 * part->rows.siblings[row];\n")],
          "tree/add_remove=150", r"tree, add_remove: the noise of .*"),
    Fault(5, "the unit is not in the hash that chooses its rows",
          [("src/pg/worker/source.c", "psprintf(\"%s, %s\", columns, unit_of_row)",
            "psprintf(\"%s, NULL\", columns)"),
           ("src/pg/counting/row_cache.c", "\tfor (uint32 i = 0; i < state->keys; i++)\n\t\tdp_row_order_add(",
            "\tfor (uint32 i = 0; i < 0 * state->keys; i++)\n\t\tdp_row_order_add(")],
          "bounding", r"bounding: units choose independently, .*"),
]

tap = Tap()


class Broken(Exception):
    """The fault could not be planted or built."""


def replace(tree, file, old, new):
    path = os.path.join(tree, file)
    with open(path, encoding="utf-8") as source:
        words = source.read()
    if words.count(old) != 1:
        raise Broken("%s: found %d times:\n%s" % (file, words.count(old), old))
    with open(path, "w", encoding="utf-8") as source:
        source.write(words.replace(old, new))


def build(number, faults):
    """The path of the library: only what was changed is compiled."""
    tree = os.path.join(os.environ["SERVER_DIR"], "fault_%d" % number)
    os.mkdir(tree)
    for name in os.listdir(ROOT):
        if name in ("Makefile", "dpsyn.control") or name.startswith("dpsyn--"):
            shutil.copy2(os.path.join(ROOT, name), tree)
    shutil.copytree(os.path.join(ROOT, "src"), os.path.join(tree, "src"),
                    ignore=shutil.ignore_patterns("*.bc"))
    for fault in faults:
        for words in fault.replacements:
            replace(tree, *words)
    command = ["make", "-s", "-C", tree, "--no-print-directory",
               "PG_CONFIG=" + os.environ["PG_CONFIG"], "dpsyn.so"]
    if os.environ.get("CC"):
        command.append("CC=" + os.environ["CC"])
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          universal_newlines=True, check=False)
    if done.returncode:
        raise Broken(done.stdout)
    library = os.path.join(tree, "dpsyn.so")
    for path in tree, library:  # the server's user reads it
        os.chmod(path, 0o755)
    return library


def aim_workers(library):
    """A background worker finds "dpsyn" in this path, which processes inherit when they start."""
    path = os.path.dirname(library)
    with closing(connect()) as boss:
        run(boss, "ALTER SYSTEM SET dynamic_library_path = '%s'" % path)
        run(boss, "SELECT pg_reload_conf()")

    def taken():
        with closing(connect()) as again:
            return one(again, "SHOW dynamic_library_path") == path
    wait_until(taken, "the new dynamic_library_path")


def audit(number, words, library):
    """(exit code, names of checks that failed, what was said)."""
    database = "fault_%d" % number
    with closing(connect()) as boss:
        run(boss, "CREATE DATABASE " + database)
    environment = dict(os.environ, PGDATABASE=database, AUDIT_LIBRARY=library, AUDIT_CASES=words)
    done = subprocess.run([sys.executable, "audit.py"], env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, universal_newlines=True, check=False)
    passed = re.findall(r"^ok \d+ - (.*)$", done.stdout, re.MULTILINE)
    failed = re.findall(r"^not ok \d+ - (.*)$", done.stdout, re.MULTILINE)
    planned = re.findall(r"^1\.\.(\d+)$", done.stdout, re.MULTILINE)
    if planned != [str(len(passed) + len(failed))]:
        raise Broken("the audit did not end:\n" + done.stdout)
    return done.returncode, failed, done.stdout


def try_faults(number, faults, built):
    """All that share a build."""
    titles = ["the audit catches: " + fault.name for fault in faults]
    try:
        library = built.result()
        aim_workers(library)
        status, failed, said = audit(number, " ".join(fault.cases for fault in faults), library)
    except Broken as error:
        for title in titles:
            tap.ok(False, title, error)
        return
    for title, fault in zip(titles, faults):
        tap.ok(status == 1 and any(re.fullmatch(fault.caught_by, check) for check in failed)
               and not any(SOUND.search(check) for check in failed), title, said)


def try_impossible():
    """A replacement that matches nothing, and one that matches twice."""
    tree = os.path.join(os.environ["SERVER_DIR"], "impossible")
    os.mkdir(tree)
    with open(os.path.join(tree, "file"), "w", encoding="utf-8") as file:
        file.write("a b b c")
    refused = 0
    for old in "b", "d":
        try:
            replace(tree, "file", old, "x")
        except Broken:
            refused += 1
    replace(tree, "file", "c", "x")
    tap.equal(refused, 2, "a fault that cannot be planted is a failure")


def try_none():
    """That a build is a copy is not what fails."""
    try:
        library = build(0, [])
        aim_workers(library)
        status, failed, said = audit(0, "sba-stability-rare/add_remove=300 debit", library)
    except Broken as error:
        tap.ok(False, "the audit passes a copy without a fault", error)
        return
    tap.ok(status == 0 and not failed, "the audit passes a copy without a fault", said)


def main():
    only = sys.argv[1:]  # parts of names
    try_impossible()
    try_none()
    wanted = [fault for fault in FAULTS if not only or any(words in fault.name for words in only)]
    wanted.sort(key=lambda fault: fault.build)
    builds = {number: list(faults) for number, faults in itertools.groupby(wanted, lambda fault: fault.build)}
    with ThreadPoolExecutor(1) as ahead:  # the next one is built while one is audited
        built = {number: ahead.submit(build, number, faults) for number, faults in builds.items()}
        for number, faults in builds.items():
            try_faults(number, faults, built[number])
    tap.done()


main()
