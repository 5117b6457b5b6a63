\ir _visits_declared.sql
