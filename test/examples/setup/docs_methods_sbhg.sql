\ir _adult.sql
\ir _release_42.sql
