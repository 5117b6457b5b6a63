\ir _visits_declared.sql
CREATE ROLE analyst;
-- each block has a session of its own
ALTER DATABASE examples SET session_preload_libraries = 'dpsyn';
ALTER DATABASE examples SET dpsyn.query_epsilon = 0.5;
