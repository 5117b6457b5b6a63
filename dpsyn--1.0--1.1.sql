-- dpsyn 1.0 to 1.1. CREATE EXTENSION runs dpsyn--1.0.sql, then this.

\echo Use "ALTER EXTENSION dpsyn UPDATE TO '1.1'" to load this file. \quit
