CREATE EXTENSION dpsyn;
\ir ../../../demo/titanic.sql
SELECT dp_protect('titanic', 4);
SELECT dp_define_column('titanic', 'age', '{child,adult}', complete => true);
