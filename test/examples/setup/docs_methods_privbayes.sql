\ir _adult.sql
