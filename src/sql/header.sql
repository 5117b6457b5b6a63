-- dpsyn 1.0: differentially private synthetic rows and statistics, under a
-- budget that nothing can undo. make puts this script together from src/sql:
--
--   1. the catalog                        8. tables like the originals
--   2. amounts, as views show them        9. histograms and queries
--   3. the custodian: budgets            10. rows from published tables
--   4. what is public of a relation      11. inference from several sets
--   5. suggestions for columns           12. exact counts
--   6. the analyst: releases and rows    13. synthetic rows, judged
--   7. rows by each method               14. views

\echo Use "CREATE EXTENSION dpsyn" to load this file. \quit

