-- References that a CHECK refuses for some rows: who follows whom but never oneself, and an answer that has a question.
\pset null NULL
\t on
\pset format unaligned
CREATE SCHEMA t_refused;
CREATE SCHEMA t_refused_made;
SET search_path = t_refused, public;
SET client_min_messages = error;
CREATE TABLE users (id integer PRIMARY KEY, sex boolean NOT NULL);
CREATE TABLE follows (follower integer NOT NULL REFERENCES users, followee integer NOT NULL REFERENCES users, muted boolean NOT NULL,
	PRIMARY KEY (follower, followee), CHECK (follower <> followee));
CREATE TABLE posts (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES users, kind integer NOT NULL CHECK (kind IN (1, 2)), question integer REFERENCES posts,
	CHECK (kind = 1 OR question IS NOT NULL));
INSERT INTO users SELECT i, i % 2 = 0 FROM generate_series(1, 400) i;
INSERT INTO follows SELECT i, 1 + (i + k * 7) % 400, k = 1 FROM generate_series(1, 400) i, generate_series(0, 3) k;
INSERT INTO posts SELECT i, 1 + i % 400, 1 + (i % 3) / 2, CASE WHEN i % 3 = 2 THEN i - 1 END FROM generate_series(1, 1200) i;
CREATE TABLE votes (post integer NOT NULL REFERENCES posts, voter integer NOT NULL REFERENCES users, up boolean NOT NULL, writer integer REFERENCES users, UNIQUE (post, voter));
INSERT INTO votes SELECT p.id, 1 + (p.id * 13 + k * 7) % 400, k = 1, p.owner FROM posts p, generate_series(0, 1) k;
SELECT dp_protect('users', 1000000), dp_protect('follows', parent => 'users', unit_column => 'follower', max_rows_per_unit => 4),
	   dp_protect('posts', parent => 'users', max_rows_per_unit => 4),
	   dp_protect('votes', parent => 'posts', max_rows_per_unit => 2);
-- who votes is not who wrote the post
SELECT s FROM dp_suggest_columns('votes') s WHERE s ~ 'voter|writer';
SELECT s FROM dp_suggest_columns('votes') s WHERE s ~ '^SELECT.*voter' \gexec
SET client_min_messages = warning;
SELECT relation, rows > 1100 FROM dp_create_synthetic('{users,follows,posts,votes}', 't_refused_made', 1000, seed => 1) WHERE relation <> 'users'::regclass;
SELECT conrelid::regclass, conname FROM pg_constraint WHERE connamespace = 't_refused_made'::regnamespace AND contype = 'f' ORDER BY 1, 2;
SELECT count(*) FILTER (WHERE follower = followee), count(DISTINCT followee) > 350, max(n) <= 4
  FROM t_refused_made.follows, LATERAL (SELECT count(*) AS n FROM t_refused_made.follows f WHERE f.follower = follows.follower) c;
SELECT count(*) FILTER (WHERE question >= id), count(*) FILTER (WHERE kind = 2 AND question IS NULL) FROM t_refused_made.posts;
SELECT count(*) > 2000, count(*) FILTER (WHERE voter = owner) < 100, count(*) FILTER (WHERE writer <> owner), count(DISTINCT voter) > 350 FROM t_refused_made.votes v JOIN t_refused_made.posts p ON p.id = v.post;
-- such a reference may be a part of the key that rows below hold; of rows that no other row fits those below are left out, too
CREATE TABLE people (id integer PRIMARY KEY, known boolean NOT NULL);
CREATE TABLE pairs (a integer NOT NULL REFERENCES people, b integer NOT NULL REFERENCES people, PRIMARY KEY (a, b), CHECK (a <> b AND (a <> 7 OR b < 0)));
CREATE TABLE calls (a integer NOT NULL, b integer NOT NULL, n integer NOT NULL, PRIMARY KEY (a, b, n), FOREIGN KEY (a, b) REFERENCES pairs);
INSERT INTO people SELECT i, i % 2 = 0 FROM generate_series(1, 200) i;
INSERT INTO pairs SELECT i, (i + k * 7) % 200 + 1 FROM generate_series(1, 200) i, generate_series(1, 2) k WHERE i <> 7;
INSERT INTO calls SELECT a, b, n FROM pairs, generate_series(1, 2) n;
SET client_min_messages = error;
SELECT dp_protect('people', 100000), dp_protect('pairs', parent => 'people', unit_column => 'a', max_rows_per_unit => 2), dp_protect('calls', parent => 'pairs', max_rows_per_unit => 2);
SELECT relation, rows FROM dp_create_synthetic('{people,pairs,calls}', 't_refused_made', 10000, seed => 1);
SELECT conrelid::regclass, conname FROM pg_constraint WHERE connamespace = 't_refused_made'::regnamespace AND contype = 'f' AND conrelid::regclass::text ~ 'pairs|calls' ORDER BY 1, 2;
SELECT min(b), count(*) FILTER (WHERE a = 7), count(DISTINCT b) > 100 FROM t_refused_made.pairs;
DROP SCHEMA t_refused, t_refused_made CASCADE;
