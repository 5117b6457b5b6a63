\ir _people.sql
\ir _adult.sql
\ir _release_42.sql
CREATE TABLE people_synthetic AS SELECT * FROM dp_synthesize_mst(NULL::people, 5, 1e-8);
CREATE TABLE adult_synthetic AS SELECT * FROM dp_synthesize_mst(NULL::adult, 5);
