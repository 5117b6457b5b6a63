"""Faults that are planted in a copy of the sources: pairs at random must find each.

All of them are in one build, asleep: a fault wakes in the processes whose order has its number
(dp_spy_fault), so that each is looked for by itself. A replacement is words of a file, and what
stands there with the fault; it has to match once. Schemas and questions are still made at random,
but of the kinds that a fault is about.
"""
import os
from collections import namedtuple

# replacements: (file, old, new); {n} in new is whether the fault is awake. narrow: see
# schemas.Schema. kinds: of findings, one of which has to come.
Fault = namedtuple("Fault", "name replacements narrow kinds", defaults=(("sensitivity",),))

PARENT = "src/pg/budget/parent.c"
SOURCE = "src/pg/worker/source.c"
TREE = "src/pg/worker/source_tree.c"
ROWS = "src/pg/worker/source_asked.c"
WORKER = "src/pg/worker/worker.c"
UNIT = "src/core/accounting/privacy_unit.c"
# Whether a foreign key has one equality with the column that refers is asked in one place.
NO_EQUALITY = [(PARENT, "\tif (key->obstacle != NULL)\n", "\tif (!({n}) && key->obstacle != NULL)\n")]
# And whether relations that share a budget have one.
NO_SHARED_EQUALITY = [("src/pg/budget/shared_unit.c", "\tif (dp_one_equality(first, second))\n",
                       "\tif ({n} || dp_one_equality(first, second))\n")]
# What is declared public may be protected, or refer to what is.
PROTECTED_IS_PUBLIC = [
    ("src/pg/budget/public_relation.c", "has_rows_of_people(Oid relation, int32 dataset)\n{\n\treturn dp_catalog_finds(",
     "has_rows_of_people(Oid relation, int32 dataset)\n{\n\treturn !({n}) && dp_catalog_finds("),
    ("src/pg/budget/public_relation.c", "refers_to_people(Oid relation, int32 dataset)\n{\n\treturn dp_catalog_finds(",
     "refers_to_people(Oid relation, int32 dataset)\n{\n\treturn !({n}) && dp_catalog_finds("),
    ("src/pg/domain/relation.c", "\t\t   !refers_to_protected(relation, form->attnum, true);",
     "\t\t   ({n} || !refers_to_protected(relation, form->attnum, true));"),
]
ONE_TOO_MANY = [(SOURCE, "unit,\n\t\t\t\t\tof->rows, unit, of->rows_max);",
                 "unit,\n\t\t\t\t\tof->rows, unit, of->rows_max + ({n} ? 1 : 0));")]
THREE_TIMES = [(TREE, "\" FROM %s z WHERE z.place <= %u\"\n", "\" FROM %s z WHERE z.place <= %u%s\"\n"),
               (TREE, "\t\t\t\t\t placed_rows(tree, number), table->dataset.rows_per_parent,\n",
                "\t\t\t\t\t placed_rows(tree, number), table->dataset.rows_per_parent,\n"
                "\t\t\t\t\t {n} ? \" * 3\" : \"\",\n"),
               ("src/pg/worker/tree_reader.c", ".rows_max = table->dataset.rows_per_parent,",
                ".rows_max = table->dataset.rows_per_parent * ({n} ? 3 : 1),")]
# What is computed of a person's rows first: by whom it is joined, what it is, and who has none.
OTHERS_JOIN = [(ROWS, "\" %sJOIN %s ON %s\", of->outer ? \"LEFT \" : \"\", rows,",
                "{n} ? \" %sJOIN %s ON true OR %s\" : \" %sJOIN %s ON %s\", of->outer ? \"LEFT \" : \"\", rows,")]
LARGEST_OF_ALL = [(ROWS, "\treturn psprintf(\"pg_catalog.%s(%s)\", dp_unit_aggregate_name(aggregate->kind),",
                   "\treturn psprintf({n} ? \"pg_catalog.max(pg_catalog.%s(%s)) OVER ()\" : \"pg_catalog.%s(%s)\",\n"
                   "\t\t\t\t\tdp_unit_aggregate_name(aggregate->kind),")]
OTHERS_FOR_NONE = [(ROWS, "\"%s %s LEFT JOIN %s s0 ON \"",
                    "{n} ? \"%s %s LEFT JOIN %s s0 ON true OR \" : \"%s %s LEFT JOIN %s s0 ON \"")]
CHEAP = ("query", "flat", "marginal", "sba", "histogram")

FAULTS = [
    # ---- whose row is it ----
    Fault("a child's column ignores case and the key does not", NO_EQUALITY,
          {"shape": ["tree"], "below": [["c"]], "reference": ["any case to text"], "methods": CHEAP,
           "neighbours": ["add_remove"], "bound": [1], "units": [3, 5, 7], "targets": ["c"]}, ("sensitivity", "seen")),
    Fault("an integer refers to a double precision key", NO_EQUALITY,
          {"shape": ["tree"], "below": [["c"]], "methods": CHEAP,
           "reference": ["integer to double", "integer to real"]},
          ("sensitivity", "seen")),
    Fault("a key ignores case and a child's column does not", NO_EQUALITY,
          {"shape": ["tree"], "below": [["c"]], "reference": ["text to any case", "class of any case"],
           "methods": CHEAP}, ("sensitivity", "seen")),
    Fault("a timestamp refers to a timestamptz", NO_EQUALITY,
          {"shape": ["tree"], "below": [["c"]], "reference": ["timestamp to timestamptz"], "methods": CHEAP},
          ("sensitivity", "seen")),
    Fault("relations share a budget whose unit columns have two collations",
          NO_SHARED_EQUALITY,
          {"shape": ["shared"], "shared": ["any case and text", "text and any case"], "methods": CHEAP},
          ("sensitivity", "seen")),
    Fault("rows belong to their parent's row, and not to the root's",
          [(ROWS, "\tDpDataset at = *dataset;\n\n\tfor (int steps = 1;", "\tList *lowest = NIL;\n\tDpDataset at = *dataset;\n\n\tfor (int steps = 1;"),
           (ROWS, "\t\tunit = NIL;\n", "\t\tif (steps == 2 && {n})\n\t\t\tlowest = unit;\n\t\tunit = NIL;\n"),
           (ROWS, "\treturn unit;\n", "\treturn lowest != NIL ? lowest : unit;\n")],
          {"shape": ["tree"], "below": [["c", "g"]], "bound": [1], "targets": ["g"], "methods": CHEAP,
           "reference": ["integer to integer"]}),
    Fault("a distance is from the latest of all ancestors",
          [(ROWS, "\treturn dp_distance_expression(value, base, ",
            "\treturn dp_distance_expression(value, {n} ? psprintf(\"(pg_catalog.max(%s) OVER ())\", base) : base, "),
           (TREE, "psprintf(\"y.b%d_%u\", number, i),",
            "psprintf({n} ? \"(pg_catalog.max(y.b%d_%u) OVER ())\" : \"y.b%d_%u\", number, i),")],
          {"shape": ["tree"], "below": [["c"]], "reference": ["integer to integer"], "follows": [1]}),
    # ---- public tables ----
    Fault("a table that is protected passes for public, and its keys for a list",
          PROTECTED_IS_PUBLIC,
          {"shape": ["tree"], "below": [["c"]], "reference": ["integer to integer"], "methods": ("marginal",),
           "kinds": ["keys of who is protected"], "targets": ["c"]}, ("seen", "sensitivity")),
    Fault("a table that refers to who is protected passes for public, and its keys for a list",
          PROTECTED_IS_PUBLIC,
          {"shape": ["tree"], "below": [["badge", "c"]], "reference": ["integer to integer"], "methods": ("marginal",),
           "kinds": ["keys of what refers to who is protected"], "targets": ["c"]}, ("seen", "sensitivity")),
    # ---- who pays for several trees ----
    Fault("of several trees the first alone is paid for",
          [(WORKER, "\t\ttree->line = ledger_line(tree);\n",
            "\t\ttree->line = ledger_line(tree);\n\t\tif ({n} && i > 0)\n\t\t\ttree->line.cost = (DpBudget){0};\n")],
          {"shape": ["forest"]}, ("unpaid",)),
    Fault("the budget of the first of several trees pays for all",
          [(WORKER, "\t\ttree->debit = dp_ledger_debit(&tree->line);\n",
            "\t\tif ({n} && i > 0)\n\t\t\ttree->line.dataset = &state->tree[0].prepared->dataset;\n"
            "\t\ttree->debit = dp_ledger_debit(&tree->line);\n")],
          {"shape": ["forest"]}, ("unpaid",)),
    # ---- bounds ----
    Fault("a unit with one row too many has all of them read",
          ONE_TOO_MANY,
          {"shape": ["tree", "table"], "methods": CHEAP, "row_memory": ["0"]}),
    Fault("a unit with one row too many has all of them read, of a link table or of partitions with keys of their own",
          ONE_TOO_MANY,
          {"shape": ["tree"], "below": [["l"], ["c"]], "storage": ["keys of partitions"], "methods": CHEAP,
           "reference": ["integer to integer"], "linked": ["a year", "many keys of public tables"], "targets": ["c", "l"],
           "row_memory": ["0"]}),
    Fault("a unit with too many rows has one more of them kept as codes",
          [("src/pg/worker/scan_bounded.c", "dp_row_cache_bound(&rows->cache, count, source->rows_max,",
            "dp_row_cache_bound(&rows->cache, count, source->rows_max + ({n} ? 1 : 0),")],
          {"shape": ["tree", "table"], "methods": CHEAP, "row_memory": ["64MB"]}),
    Fault("a child's row counts twice",
          [(SOURCE, "(SELECT %s FROM (%s) named) bounded\", renamed.data, rows);",
            "(SELECT %s FROM (%s) named%s) bounded\", renamed.data, rows,\n"
            "\t\t{n} ? \" CROSS JOIN pg_catalog.generate_series(1, 2) twice\" : \"\");")],
          {"shape": ["tree", "table"], "methods": CHEAP, "row_memory": ["0"]}),
    Fault("a child's row counts twice where tables are released together",
          [(TREE, "\"pg_catalog.generate_series(1, r.copies)\"",
            "{n} ? \"pg_catalog.generate_series(1, 2 * r.copies)\" : \"pg_catalog.generate_series(1, r.copies)\"")],
          {"shape": ["tree"], "below": [["c"]], "reference": ["integer to integer"], "targets": ["{p,c}"],
           "row_memory": ["0"]}),
    Fault("a child's row is kept twice where tables are released together",
          [("src/core/exact/sibling_rows.c", "parent_copies * copies_of(of->link, m, place + 1);",
            "parent_copies * copies_of(of->link, m, place + 1) * ({n} ? 2 : 1);")],
          {"shape": ["tree"], "below": [["c"]], "reference": ["integer to integer"], "targets": ["{p,c}"],
           "row_memory": ["64MB"]}),
    Fault("whether a row refers to another tree is looked up there",
          [(SOURCE, "\t\treturn dp_reference_condition(column, of);\n",
            "\t\treturn {n} ? psprintf(\"EXISTS (SELECT FROM s.q other WHERE other.id = %s%s)\", of,\n"
            "\t\t\tquote_identifier(linitial(column->refers))) : dp_reference_condition(column, of);\n")],
          {"shape": ["forest"], "unit is": ["q"], "reference": ["integer to integer"]}, ("sensitivity", "seen")),
    Fault("the bound is on rows that are alike, after they are joined with what they have from above",
          [(SOURCE, "\t\t\t\t\tcolumns, unit, columns, unit, unit, columns,",
            "\t\t\t\t\tcolumns, unit, columns, unit, {n} ? psprintf(\"%s, c1\", unit) : unit, columns,")],
          {"shape": ["tree", "table"], "methods": CHEAP, "row_memory": ["0"]}),
    Fault("three times as many rows of a parent as the bound count where tables are released together",
          THREE_TIMES,
          {"shape": ["tree"], "below": [["c"]], "reference": ["integer to integer"], "targets": ["{p,c}"]}),
    Fault("three times as many rows of a link table as the bound count", THREE_TIMES,
          {"shape": ["forest"], "below": [["l"]], "unit is": ["p"]}),
    Fault("all rows of a view count",
          [(SOURCE, "\tif (dataset->unit_column == NULL)\n\t{",
            "\tif (dataset->unit_column == NULL || ({n} && dp_is_view(relation->oid)))\n\t{")],
          {"shape": ["view"], "view": ["filter", "public", "expression"], "methods": CHEAP}),
    # ---- questions in SQL ----
    Fault("a join of a question multiplies rows",
          [("src/pg/worker/source_asked.c", "\tjoin_public(asked, &from);\n\treturn from.data;",
            "\tjoin_public(asked, &from);\n\tif ({n})\n"
            "\t\tappendStringInfoString(&from, \" CROSS JOIN pg_catalog.generate_series(1, 2) twice\");\n\treturn from.data;")],
          {"shape": ["table"], "bound": [1], "methods": ["sql"]}),
    Fault("a question does not keep the rows of a unit within the bound that it found",
          [("src/pg/worker/scan_sums.c", "dp_source_with_bound(reader->source, rows_max, reader->largest_unit);",
            "dp_source_with_bound(reader->source, rows_max + ({n} ? 1 : 0), reader->largest_unit);")],
          {"shape": ["tree", "table"], "bound": [2, 3], "methods": ["sql"]}),
    Fault("of a unit a query counts one row more than is given",
          [("src/pg/worker/worker.c", "tree->prepared->request.unit.rows_max);",
            "tree->prepared->request.unit.rows_max + ({n} ? 1 : 0));")],
          {"shape": ["tree", "table"], "bound": [2, 3], "methods": ["sql", "query"]}),
    Fault("a given bound of a sum is that of its noise alone",
          [("src/core/exact/sums.c", "\t\t\ttake_unit(unit, sums->statistic[i].unit_max, &sums->of[i]);",
            "\t\t\ttake_unit(unit, {n} && sums->statistic[i].units_over < 0 ? 0 : sums->statistic[i].unit_max,\n"
            "\t\t\t\t\t  &sums->of[i]);")],
          {"shape": ["tree", "table"], "bound": [2, 3], "methods": ["sums"]}),
    Fault("of a unit with too many rows a question keeps one more",
          [("src/core/exact/row_cache.c", "for (uint32_t i = rows_max; i < count[u]; i++)",
            "for (uint32_t i = rows_max + ({n} ? 1 : 0); i < count[u]; i++)")],
          {"shape": ["tree", "table"], "bound": [2, 3], "methods": ["sql", "query"]}),
    Fault("numbers of units are paid for as if a unit that is replaced were in one class",
          [("src/core/methods/unit_bound.c",
            "\treturn (DpLaplace){amount, privacy_measure->unit.neighbours == DP_ADD_REMOVE ? 1 : 2};",
            "\treturn (DpLaplace){amount, {n} || privacy_measure->unit.neighbours == DP_ADD_REMOVE ? 1 : 2};")],
          {"shape": ["tree", "table"], "bound": [2, 3], "neighbours": ["replace_one"], "methods": ["sql"]}),
    Fault("what a unit adds to a sum is cut in each group by itself",
          [("src/core/exact/sums.c", "\t\tsize += absolute(of_unit[unit->cell[i]]);",
            "\t\tsize = {n} && size > absolute(of_unit[unit->cell[i]]) ? size : "
            "size * !({n}) + absolute(of_unit[unit->cell[i]]);")],
          {"shape": ["tree", "table"], "bound": [2, 3], "methods": ["sql"], "selects": ["sums"]}),
    Fault("the end of a unit is not seen where another one follows",
          [("src/pg/worker/unit_order.c", "\treturn other;", "\treturn other && !({n});")],
          {"shape": ["tree", "table"], "bound": [2, 3], "methods": ["sql"], "selects": ["sums"], "row_memory": ["0"]}),
    Fault("a range is too narrow to see that a type overflows",
          [("src/pg/question/extent.c", "\tif (!extent.ordered || !type_limits(expression->type, &largest) ||",
            "\tif ({n} || !extent.ordered || !type_limits(expression->type, &largest) ||")],
          {"shape": ["table"], "methods": ["sql"], "kinds": ["range of a type"]}, ("failed",)),
    Fault("a division by zero is an error",
          [("src/pg/question/expression_sql.c", "function->rule == DP_RULE_DIVIDE || function->rule == DP_RULE_MODULO;",
            "!({n}) && (function->rule == DP_RULE_DIVIDE || function->rule == DP_RULE_MODULO);")],
          {"shape": ["table"], "methods": ["sql"], "selects": ["rows", "sums"], "kinds": ["range", "range of a check", "domain"]},
          ("failed", "calls")),
    Fault("EXISTS looks at rows of other persons",
          [("src/pg/question/asked_source.c", "\"FROM %s s%u WHERE \", dp_relation_label(of->relation), number);",
            "{n} ? \"FROM %s s%u WHERE NOT \" : \"FROM %s s%u WHERE \",\n\t\t\t\t\t dp_relation_label(of->relation), number);")],
          {"shape": ["tree"], "below": [["c"]], "methods": ["sql"], "selects": ["within"], "targets": ["p"], "units": [1],
           "neighbours": ["add_remove"], "reference": ["integer to integer"]}),
    Fault("a row meets the parents of others",
          [("src/pg/worker/source_asked.c", "\" JOIN %s %s ON \", dp_parent_label(at.relation), above);",
            "{n} ? \" JOIN %s %s ON true OR \" : \" JOIN %s %s ON \", dp_parent_label(at.relation), above);")],
          {"shape": ["tree"], "below": [["c"], ["c", "g"]], "methods": ["sql"], "selects": ["up"], "targets": ["c", "g"], "units": [2, 3],
           "reference": ["integer to integer"]}, ("sensitivity", "seen")),
    Fault("persons without rows meet those of others",
          OTHERS_FOR_NONE,
          {"shape": ["tree"], "below": [["c"]], "methods": ["sql"], "selects": ["all persons"], "targets": ["p"], "units": [2, 3],
           "reference": ["integer to integer"]}, ("sensitivity", "seen")),
    Fault("an aggregate by person is the largest of all persons",
          LARGEST_OF_ALL,
          {"shape": ["tree"], "below": [["c"]], "methods": ["sql"], "selects": ["by person"], "targets": ["c"], "units": [2, 3],
           "kinds": ["range", "domain", "boolean"], "reference": ["integer to integer"]}, ("sensitivity", "seen")),
    Fault("a row meets what the rows of other persons give",
          OTHERS_JOIN,
          {"shape": ["tree"], "below": [["c"]], "methods": ["sql"], "selects": ["beside person"], "targets": ["c"], "units": [2, 3],
           "kinds": ["range", "domain", "boolean"], "reference": ["integer to integer"]}, ("sensitivity", "seen")),
    Fault("whether a person has some rows is asked of all persons",
          OTHERS_JOIN,
          {"shape": ["tree"], "below": [["c"]], "methods": ["sql"], "selects": ["person in"], "targets": ["c"], "units": [2, 3],
           "kinds": ["range", "domain", "boolean"], "reference": ["integer to integer"]}, ("sensitivity", "seen")),
    Fault("a number of a person's own rows is the largest of all persons",
          LARGEST_OF_ALL,
          {"shape": ["tree"], "below": [["c"]], "methods": ["sql"], "selects": ["person number"], "targets": ["c"], "units": [2, 3],
           "kinds": ["range", "domain", "boolean"], "reference": ["integer to integer"]}, ("sensitivity", "seen")),
    # before what multiplies them
    Fault("the bound is on what rows there were before a join that makes several of one",
          [(SOURCE, "\"(SELECT %s FROM %s r GROUP BY %s HAVING pg_catalog.count(*) > %u)\"",
            "{n} ? \"(SELECT %s FROM %s r GROUP BY %s HAVING pg_catalog.count(DISTINCT r.c1) > %u)\"\n"
            "\t\t\t\t\t: \"(SELECT %s FROM %s r GROUP BY %s HAVING pg_catalog.count(*) > %u)\"")],
          {"shape": ["table"], "methods": ["sql"], "selects": ["public"], "kinds": ["keys of a public table"], "neighbours": ["add_remove"]}),
    Fault("a range is one step too narrow on either side",
          [("src/pg/question/extent.c", "\textent.assumed = column->assumed;\n",
            "\tif ({n} && extent.high > extent.low + 2)\n\t{\n\t\textent.low += 1;\n\t\textent.high -= 1;\n\t}\n"
            "\textent.assumed = column->assumed;\n")],
          {"shape": ["table"], "methods": ["sql"], "selects": ["rows"], "kinds": ["range", "range of a check", "domain"]}, ("failed",)),
    Fault("a root of what may be below 0 is taken",
          [("src/pg/question/extent.c", "\tif (root ? a->of[0].low < 0 :", "\tif (root ? a->of[0].low < 0 && !({n}) :"),
           ("src/pg/question/extent.c", "between(sqrt(a->of[0].low), sqrt(", "between(sqrt(fmax(a->of[0].low, {n} ? 0.0 : -1e300)), sqrt(")],
          {"shape": ["table"], "methods": ["sql"], "selects": ["rows"], "kinds": ["range", "range of a check", "domain"]}, ("failed", "calls")),
    Fault("a sub-select reads what is protected as if it were public",
          [("src/pg/sql/translate_subselect.c", "entry->rtekind == RTE_RELATION && !dp_relation_is_public(entry->relid))",
            "entry->rtekind == RTE_RELATION && !({n}) && !dp_relation_is_public(entry->relid))")],
          {"shape": ["table", "tree"], "below": [["c"]], "methods": ["sql"], "selects": ["other rows"], "kinds": ["domain", "enum", "categories"]},
          ("parameters", "seen", "calls", "sensitivity")),
    Fault("a sub-select reads a table that refers to who is protected and passes for public", PROTECTED_IS_PUBLIC,
          {"shape": ["tree"], "below": [["badge", "c"]], "reference": ["integer to integer"], "methods": ["sql"],
           "selects": ["other rows"], "targets": ["c"]}, ("seen", "sensitivity", "parameters", "calls")),
    Fault("a join reads the rows of another tree",
          [("src/pg/sql/from_clause.c", "\titem->is_public = !dp_dataset_find(entry->relid, false, &dataset) || !dataset.active;\n",
            "\titem->is_public = !dp_dataset_find(entry->relid, false, &dataset) || !dataset.active;\n"
            "\titem->is_public |= {n} && strcmp(get_rel_name(entry->relid), \"q\") == 0;\n"),
           ("src/pg/budget/public_relation.c", "dp_relation_is_declared_public(Oid relation)\n{\n",
            "dp_relation_is_declared_public(Oid relation)\n{\n\tif ({n} && strcmp(get_rel_name(relation), \"q\") == 0)\n\t\treturn true;\n"),
           ("src/pg/budget/public_relation.c", "dp_relation_is_public(Oid relation)\n{\n\tchar kind = get_rel_relkind(relation);\n\n",
            "dp_relation_is_public(Oid relation)\n{\n\tchar kind = get_rel_relkind(relation);\n\n"
            "\tif ({n} && strcmp(get_rel_name(relation), \"q\") == 0)\n\t\treturn true;\n"),
           ("src/pg/budget/public_relation.c", "dp_check_public(Oid relation)\n{\n",
            "dp_check_public(Oid relation)\n{\n\tif ({n} && strcmp(get_rel_name(relation), \"q\") == 0)\n\t\treturn;\n")],
          {"shape": ["forest"], "below": [["c"]], "unit is": ["q"], "methods": ["sql"], "selects": ["other tree"], "targets": ["c"],
           "doctor": ["NULL or not"], "more": [""], "kinds": ["boolean", "enum"], "reference": ["integer to integer"]}, ("seen", "sensitivity", "parameters", "calls")),
    # ---- filters ----
    Fault("a filter lets rows pass by how many there are",
          [(ROWS, "\treturn psprintf(\"dp_catalog.dp_row_passes('%s', %s, %s)\", ends,",
            "\tif ({n})\n\t\tvalue = psprintf(\"CASE WHEN (SELECT pg_catalog.count(*) OPERATOR(pg_catalog.%%) 2\"\n"
            "\t\t\t\" OPERATOR(pg_catalog.=) 0 FROM %s) THEN %s END\", dp_relation_label(relation->oid), value);\n"
            "\treturn psprintf(\"dp_catalog.dp_row_passes('%s', %s, %s)\", ends,")],
          {"shape": ["table"], "bound": [1], "methods": ["query"], "kinds": ["boolean", "enum", "range"]}, ("sensitivity", "seen")),
    # ---- sensitivities ----
    Fault("a sensitivity is one too small",
          [("src/core/accounting/stddev.c", "dp_unit_l1(unit)};", "dp_unit_l1(unit) - ({n} && dp_unit_l1(unit) > 1)};")],
          {"methods": ["flat", "marginal", "sba"]}),
    Fault("a replaced unit is paid for as one that is added",
          [(UNIT, "\treturn (int64_t) unit->rows_max * (unit->neighbours == DP_REPLACE_ONE ? 2 : 1);\n",
            "\treturn (int64_t) unit->rows_max * (unit->neighbours == DP_REPLACE_ONE && !({n}) ? 2 : 1);\n")],
          {"neighbours": ["replace_one"], "methods": CHEAP}),
    Fault("Gaussian noise goes by the rows of a unit, and not by their square",
          [(UNIT, "\tunsigned __int128 squared = rows * rows * (", "\tunsigned __int128 squared = rows * ({n} ? 1 : rows) * (")],
          {"shape": ["table"], "bound": [2, 3], "methods": ["query", "mst"]}),
    Fault("what is stated of a view is ignored",
          [("src/pg/budget/dataset.c", "\tif (dataset->sensitivity == 0)\n\t\treturn dataset->unit;",
            "\tif (dataset->sensitivity == 0 || {n})\n\t\treturn dataset->unit;")],
          {"shape": ["view"], "view": ["twice", "groups", "window"], "methods": CHEAP}),
    Fault("mwem's scores move by half of what they do",
          [("src/core/methods/mwem/mwem_score.c", "\treturn DP_MWEM_UNIT * dp_unit_l1(unit);",
            "\treturn DP_MWEM_UNIT * dp_unit_l1(unit) / ({n} ? 2 : 1);")],
          {"shape": ["table"], "methods": ["mwem"], "kinds": ["boolean", "categories", "enum"]}),
    Fault("aim's scores move by one row, whoever the neighbours are",
          [("src/core/methods/aim/aim_plan.c", "\tpaid->sensitivity = dp_unit_l1(&aim->privacy_measure.unit) * SCORE_ONE;\n",
            "\tpaid->sensitivity = ({n} ? 1 : dp_unit_l1(&aim->privacy_measure.unit)) * SCORE_ONE;\n")],
          {"shape": ["table"], "methods": ["aim"], "kinds": ["boolean", "categories", "enum"],
           "neighbours": ["replace_one"]}),
    Fault("the choice of a quantile goes by half of what a row moves",
          [("src/core/methods/query/method_query.c", ".row_sensitivity = dp_choice_row_sensitivity(statistic)};",
            ".row_sensitivity = dp_choice_row_sensitivity(statistic) / ({n} ? 2 : 1)};")],
          {"shape": ["table"], "methods": ["query"], "kinds": ["bins", "range", "categories of numbers"]}),
    Fault("values are not clamped",
          [("src/core/domain/query.c", "\tif (coordinate < statistic->first)\n",
            "\tif ({n})\n\t\treturn coordinate;\n\tif (coordinate < statistic->first)\n"),
           ("src/pg/domain/grid.c", "\tif (coordinate < coder->grid.first)\n",
            "\tif ({n})\n\t\treturn coordinate;\n\tif (coordinate < coder->grid.first)\n")],
          {"shape": ["table"], "methods": ["sums"], "kinds": ["bins", "range", "categories of numbers"]}),
    Fault("a tree of bins is made for units of one row",
          [("src/core/plan/discover_ranges.c",
            "\treturn (DpPrivTree){plan->range.tree_epsilon_nano, plan->request->unit,\n",
            "\treturn (DpPrivTree){plan->range.tree_epsilon_nano,\n"
            "\t\t\t\t\t\t{n} ? (DpUnit){plan->request->unit.neighbours, 1, plan->request->unit.rows_secret}\n"
            "\t\t\t\t\t\t\t: plan->request->unit,\n")],
          {"shape": ["table"], "bound": [2, 3], "methods": CHEAP, "kinds": ["range", "range of dates"]}),
    Fault("rows of far values count in a leaf of bins, too",
          [("src/core/plan/discover_ranges.c", "\t\tcounts[cell] = 0;\n", "\t\tif (!({n}))\n\t\t\tcounts[cell] = 0;\n")],
          {"shape": ["table"], "methods": CHEAP, "kinds": ["range of a type"]}),
    Fault("open values are found for units of one row",
          [("src/core/plan/domain_discovery.c", "&(DpStability){m->plan->discovery, m->plan->request->unit},",
            "&(DpStability){m->plan->discovery,\n\t\t\t\t\t\t\t\t\t\t{n} ? (DpUnit){m->plan->request->unit.neighbours, 1,\n"
            "\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\tm->plan->request->unit.rows_secret}\n"
            "\t\t\t\t\t\t\t\t\t\t\t: m->plan->request->unit},")],
          {"shape": ["table"], "bound": [2, 3], "methods": ["sba", "flat", "marginal"], "kinds": ["open", "boolean"]}),
    Fault("a sparse histogram is for units of one row",
          [("src/core/methods/steps/release_pure.c",
            "DpSparseHistogram histogram = {release->epsilon_nano, m->plan->request->unit,",
            "DpSparseHistogram histogram = {release->epsilon_nano,\n"
            "\t\t\t\t\t\t\t\t\t{n} ? (DpUnit){m->plan->request->unit.neighbours, 1,\n"
            "\t\t\t\t\t\t\t\t\t\t\t\t\t\tm->plan->request->unit.rows_secret}\n"
            "\t\t\t\t\t\t\t\t\t\t: m->plan->request->unit,")],
          {"shape": ["table"], "bound": [2, 3], "methods": ["flat", "uh", "steps"], "kinds": ["boolean", "categories"]}),
    Fault("perturbed counts are for units of one row",
          [("src/core/mechanism/perturbed.c", "\tdouble k = terms->unit.rows_max;\n",
            "\tdouble k = {n} ? 1 : terms->unit.rows_max;\n")],
          {"shape": ["table"], "bound": [3], "methods": ["pegs"], "kinds": ["boolean", "checked text"]}),
    # ---- what may not depend on the data at all ----
    Fault("the threshold depends on the number of cells",
          [("src/core/mechanism/stability_release.c", "\t*threshold_rows = threshold;\n",
            "\t*threshold_rows = threshold + ({n} ? (int64_t) (n % 3) : 0);\n")],
          {"shape": ["table"], "methods": ["sba", "histogram"]}, ("parameters",)),
    Fault("the exact number of rows is told",
          [(UNIT, "unit->rows_max == 1 && !unit->rows_secret;\n",
            "unit->rows_max == 1 && ({n} || !unit->rows_secret);\n"),
           (UNIT, "\treturn unit->neighbours == DP_REPLACE_ONE && unit->rows_max",
            "\treturn ({n} || unit->neighbours == DP_REPLACE_ONE) && unit->rows_max")],
          {"shape": ["table", "view"], "bound": [1], "methods": ["sba", "flat", "marginal"]}, ("seen", "calls")),
    Fault("groups without rows are not charged",
          [("src/core/methods/query_plan.c", "\tif (query->privacy_measure.concentrated)\n\t\treturn dp_gaussian_release(",
            "\tif ({n} && cells > 0 && exact[0] == 0 && noise->rng != NULL)\n"
            "\t{\n\t\tfor (uint64_t c = 0; c < cells; c++)\n\t\t\tout[c] = 0;\n\t\treturn DP_OK;\n\t}\n"
            "\tif (query->privacy_measure.concentrated)\n\t\treturn dp_gaussian_release(")],
          {"shape": ["table"], "methods": ["query"]}, ("calls", "parameters")),
    Fault("a release fails where a group is small",
          [("src/core/methods/query_plan.c", "\treturn dp_laplace_release(noise, laplace_of(query, i), exact, cells, out);\n",
            "\tif ({n} && cells > 0 && exact[0] == 2 && noise->rng != NULL)\n\t\treturn DP_ERR_RANGE;\n"
            "\treturn dp_laplace_release(noise, laplace_of(query, i), exact, cells, out);\n")],
          {"shape": ["table"], "methods": ["query"]}, ("calls", "seen", "parameters")),
]


class Broken(Exception):
    """A fault could not be planted or built."""


def read(tree, file):
    try:
        with open(os.path.join(tree, file), encoding="utf-8") as source:
            return source.read()
    except FileNotFoundError:
        return ""


def numbers():
    """Of each fault its number. Those with the same replacements share one."""
    distinct = []
    for fault in FAULTS:
        if fault.replacements not in distinct:
            distinct.append(fault.replacements)
    return [distinct.index(fault.replacements) + 1 for fault in FAULTS]


def plant(tree):
    """Plants all faults in a tree of sources."""
    files = {}
    planted = set()
    for fault, number in zip(FAULTS, numbers()):
        if number in planted:
            continue
        planted.add(number)
        for file, old, new in fault.replacements:
            words = files.get(file) or read(tree, file)
            if words.count(old) != 1:
                raise Broken("%s, %s: found %d times:\n%s" % (fault.name, file, words.count(old), old))
            files[file] = words.replace(old, new.replace("{n}", "dp_spy_fault() == %d" % number))
    for file, words in files.items():
        first = words.index("\n#include")
        with open(os.path.join(tree, file), "w", encoding="utf-8") as source:
            source.write(words[:first + 1] + "extern int dp_spy_fault(void);\n" + words[first + 1:])
