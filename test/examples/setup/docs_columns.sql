\ir _visits.sql
SELECT dp_protect('visits', epsilon => 4);
