-- dp_evaluate: how far synthetic rows are from the original ones
CREATE TABLE original (sex text, grade int);
CREATE TABLE synthetic (grade bigint, sex text);
INSERT INTO original VALUES ('f', 1), ('f', 1), ('f', 2), ('m', 2);
INSERT INTO synthetic VALUES (1, 'f'), (2, 'm'), (2, 'm'), (3, 'm'), (3, 'm');
-- sex: (3/4, 1/4) and (1/5, 4/5): 1/2 (11/20 + 11/20) = 0.55
-- grade: (2/4, 2/4, 0) and (1/5, 2/5, 2/5): 1/2 (6/20 + 2/20 + 8/20) = 0.4
-- both: f1 2/4 1/5, f2 1/4 0, m2 1/4 2/5, m3 0 2/5: 1/2 (6 + 5 + 3 + 8)/20 = 0.55
SELECT measure, columns, round(value::numeric, 12) AS value
  FROM dp_evaluate('original', 'synthetic', '{"each": true}')
 WHERE measure LIKE 'tvd%' ORDER BY measure, columns;
DROP TABLE original, synthetic;
