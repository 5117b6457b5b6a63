-- A CHECK says which rows refer to a row of their own table, as answers do to questions: it is one of the zeros of the model.
-- The first row has none that it could refer to and is left out, and what refers to it then refers to another. Keys keep their names.
SET client_min_messages = error;
CREATE ROLE regress_dp_self_owner SUPERUSER;
CREATE ROLE regress_dp_self_analyst;
CREATE SCHEMA t_self AUTHORIZATION regress_dp_self_owner;
CREATE SCHEMA made_self AUTHORIZATION regress_dp_self_analyst;
GRANT USAGE ON SCHEMA t_self TO PUBLIC;
SET search_path = t_self, public;
SET SESSION AUTHORIZATION regress_dp_self_owner;
CREATE TABLE users (id integer PRIMARY KEY, old boolean NOT NULL);
CREATE TABLE posts (id integer PRIMARY KEY, author integer NOT NULL CONSTRAINT written_by REFERENCES users,
	kind smallint NOT NULL CHECK (kind IN (1, 2)), parent integer CONSTRAINT answers REFERENCES posts,
	accepted integer CONSTRAINT "FK_accepted" REFERENCES posts, CONSTRAINT answers_have_questions CHECK ((kind = 2) = (parent IS NOT NULL)));
INSERT INTO users SELECT i, i % 2 = 0 FROM generate_series(1, 200) i;
INSERT INTO posts SELECT i, 1 + i % 200, CASE WHEN i % 8 = 1 THEN 1 ELSE 2 END, CASE WHEN i % 8 <> 1 THEN i - (i + 7) % 8 END FROM generate_series(1, 800) i;
UPDATE posts SET accepted = id + 1 WHERE kind = 1;
SELECT dp_protect('users', 1000000, 0.1);
SELECT dp_protect('posts', parent => 'users', max_rows_per_unit => 4);
SELECT dp_grant('users', 'regress_dp_self_analyst', 500000, 0.01);
SET SESSION AUTHORIZATION regress_dp_self_analyst;
CREATE TEMP TABLE made AS
SELECT relation, rows FROM dp_create_synthetic('{users,posts}', 'made_self', 200000, 1e-9, '{"method": "mst"}', seed => 3);
SELECT conrelid::regclass, conname, convalidated FROM pg_constraint WHERE connamespace = 'made_self'::regnamespace AND contype IN ('c', 'f') ORDER BY 1, 2;
SELECT count(*) > 700 AS kept, count(*) FILTER (WHERE kind = 1) BETWEEN 90 AND 110 AS questions, count(DISTINCT parent) > 50 AS parents,
	   count(*) FILTER (WHERE NOT EXISTS (SELECT FROM made_self.posts q WHERE q.id = p.parent) AND parent IS NOT NULL) AS dangling
  FROM made_self.posts p;
RESET SESSION AUTHORIZATION;
SET client_min_messages = error;
DROP SCHEMA t_self, made_self CASCADE;
DROP OWNED BY regress_dp_self_owner, regress_dp_self_analyst;
DROP ROLE regress_dp_self_owner, regress_dp_self_analyst;
