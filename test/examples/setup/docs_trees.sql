CREATE EXTENSION dpsyn;
CREATE ROLE analyst;
\ir _release_42.sql
