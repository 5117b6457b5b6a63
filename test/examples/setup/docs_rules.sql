\ir _people.sql
CREATE TABLE orders (id integer PRIMARY KEY, ordered date NOT NULL);
CREATE TABLE lines ("order" integer NOT NULL REFERENCES orders, shipped date, received date);
SELECT dp_protect('orders', 10), dp_protect('lines', parent => 'orders', max_rows_per_unit => 7);
