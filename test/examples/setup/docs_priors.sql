\ir _people.sql
CREATE TABLE census_2021 AS
SELECT age, sex, 100000 AS persons FROM unnest(ARRAY[5, 20, 50, 90]) AS age, unnest('{f,m}'::text[]) AS sex;
