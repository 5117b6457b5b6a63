\ir _people.sql
