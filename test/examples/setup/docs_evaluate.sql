\ir _visits_declared.sql
\ir _release_42.sql
CREATE TABLE visits_synthetic AS SELECT * FROM dp_synthesize_mst(NULL::visits, 2, 1e-8, partial => true);
