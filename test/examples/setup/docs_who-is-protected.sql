\ir _visits.sql
