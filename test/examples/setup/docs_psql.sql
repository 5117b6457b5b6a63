CREATE EXTENSION dpsyn;
\ir ../../../demo/titanic.sql
SELECT dp_protect('titanic', epsilon => 4, delta => 1e-8);
SELECT dp_define_column('titanic', 'age', categories => '{child,adult}', complete => true);
CREATE ROLE analyst;
SELECT dp_grant('titanic', 'analyst', epsilon => 2, delta => 1e-9);
SET ROLE analyst;
SELECT dp_release('titanic', 'flat', epsilon => 0.5);
