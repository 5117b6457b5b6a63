-- Rows of a parent repeat no reference where the key forbids it, to a public table and to another tree.
\set VERBOSITY terse
CREATE SCHEMA t_link_keys;
CREATE SCHEMA t_link_keys_made;
SET search_path = t_link_keys, public;
SET client_min_messages = error;
CREATE TABLE customer (id int PRIMARY KEY, sex boolean NOT NULL);
CREATE TABLE product (id int PRIMARY KEY, big boolean NOT NULL);
CREATE TABLE maker (id int PRIMARY KEY, big boolean NOT NULL);
CREATE TABLE likes (customer int REFERENCES customer, product int REFERENCES product, stars int NOT NULL CHECK (stars BETWEEN 1 AND 5), PRIMARY KEY (customer, product));
CREATE TABLE buys (customer int REFERENCES customer, maker int REFERENCES maker, stars int NOT NULL CHECK (stars BETWEEN 1 AND 5), UNIQUE (customer, maker));
INSERT INTO customer SELECT i, i % 2 = 0 FROM generate_series(1, 500) i;
INSERT INTO product SELECT i, i % 3 = 0 FROM generate_series(1, 12) i;
INSERT INTO maker SELECT i, i % 3 = 0 FROM generate_series(1, 12) i;
INSERT INTO likes SELECT c, 1 + (c + k * (1 + c % 3)) % 12, 1 + k FROM generate_series(1, 500) c, generate_series(0, 2) k;
INSERT INTO buys SELECT * FROM likes;
SELECT dp_declare_public('product');
SELECT dp_protect('customer', 1000), dp_protect('maker', 1000);
SELECT dp_protect('likes', max_rows_per_unit => 4, parent => 'customer'), dp_protect('buys', max_rows_per_unit => 4, parent => 'customer');
SELECT count(*) FROM dp_create_synthetic('{customer,likes,buys,maker,product}', 't_link_keys_made', 100);
-- three of each customer, and hardly a row is lost to a repetition
SELECT 'likes' AS made, count(*) BETWEEN 1350 AND 1650 AS rows, count(*) = count(DISTINCT (customer, product)) AS none_twice, count(DISTINCT product) > 8 AS many FROM t_link_keys_made.likes
UNION ALL
SELECT 'buys', count(*) BETWEEN 1350 AND 1650, count(maker) = count(DISTINCT (customer, maker)) FILTER (WHERE maker IS NOT NULL), count(DISTINCT maker) > 8 FROM t_link_keys_made.buys;
DROP SCHEMA t_link_keys_made, t_link_keys CASCADE;
