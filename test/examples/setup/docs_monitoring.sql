\ir _visits_declared.sql
\ir _release_42.sql
SELECT dp_release('visits', 'mst', 1, 1e-9);
