\ir _adult.sql
CREATE TABLE adult_synthetic AS SELECT * FROM dp_synthesize_mst(NULL::adult, 5);
