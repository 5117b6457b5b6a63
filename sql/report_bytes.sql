-- pages of bytes that are no characters, and of categories that are too long to read
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
SELECT current_database() AS own \gset
CREATE DATABASE regress_dp_bytes TEMPLATE template0 ENCODING SQL_ASCII LC_COLLATE 'C' LC_CTYPE 'C';
\c regress_dp_bytes
SET client_min_messages = error;
CREATE EXTENSION dpsyn;
CREATE TABLE p (k text, v int);
INSERT INTO p SELECT CASE i % 3 WHEN 0 THEN E'caf\351' WHEN 1 THEN repeat('x', 200000) ELSE E'\303\251t\303\251 \360\237' END, i % 7 FROM generate_series(1, 300) i;
CREATE TABLE p2 AS TABLE p;
SELECT dp_protect('p', 1000, 1e-3);
SELECT dp_define_column('p', 'k', open => true), dp_define_column('p', 'v', categories => '{0,1,2,3,4,5,6}');
SELECT dp_release('p', 'mst', 200, 1e-6) AS r \gset
-- a replacement for what is no character, and the rest as it is; an ellipsis where a value is cut
SELECT length(page) < 100000, length(p2) < 100000, p2 LIKE '%caf&#65533;%', p2 LIKE '%&#233;t&#233; &#65533;%', p2 LIKE '%xxxx&#8230;%', p2 !~ '[^\x01-\x7f]'
  FROM dp_report(:r) page, dp_report('p', 'p2') p2;
\c :own
DROP DATABASE regress_dp_bytes;
