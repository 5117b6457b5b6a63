\ir _people.sql
CREATE TABLE orders (id integer PRIMARY KEY, ordered date NOT NULL);
CREATE TABLE lines ("order" integer NOT NULL REFERENCES orders, shipped date, received date);
SELECT dp_protect('orders', 10), dp_protect('lines', parent => 'orders', max_rows_per_unit => 7);
CREATE TABLE trips (id integer PRIMARY KEY, started timestamp NOT NULL, hour integer NOT NULL, fare numeric(8,2) NOT NULL, tip numeric(8,2),
	total numeric(8,2) NOT NULL);
SELECT dp_protect('trips', 10);
