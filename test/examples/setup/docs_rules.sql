\ir _people.sql
CREATE TABLE orders (id integer PRIMARY KEY, ordered date NOT NULL);
CREATE TABLE lines ("order" integer NOT NULL REFERENCES orders, shipped date, received date);
SELECT dp_protect('orders', 10), dp_protect('lines', parent => 'orders', max_rows_per_unit => 7);
CREATE TABLE trips (id integer PRIMARY KEY, started timestamp NOT NULL, hour integer NOT NULL, fare numeric(8,2) NOT NULL, tip numeric(8,2),
	total numeric(8,2) NOT NULL);
SELECT dp_protect('trips', 10);
CREATE TABLE posts (id integer PRIMARY KEY, began date NOT NULL, ended date NOT NULL);
SELECT dp_protect('posts', 10);
CREATE TABLE booking (id integer PRIMARY KEY, during tstzrange NOT NULL, booked_at timestamptz NOT NULL);
CREATE TABLE meals (id integer PRIMARY KEY, booking integer NOT NULL REFERENCES booking, served_at timestamptz NOT NULL);
SELECT dp_protect('booking', 10, 1e-6), dp_protect('meals', parent => 'booking', max_rows_per_unit => 3);
