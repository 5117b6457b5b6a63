"""An analyst's session by ODBC. With UseDeclareFetch the driver reads through a cursor."""
import os

import pyodbc

release = int(os.environ["RELEASE"])
link = pyodbc.connect(
    "Driver={PostgreSQL Unicode};Servername=127.0.0.1;Port=%s;Database=postgres;Username=ann;"
    "UseDeclareFetch=1;Fetch=500" % os.environ["PGPORT"])
cursor = link.cursor()
stages = cursor.execute("SELECT stage FROM dp_explain('visits', 'marginal', ?)", 1.5).fetchall()
rows = cursor.execute("SELECT * FROM dp_synthesize_marginal(NULL::visits, ?, rows => ?)", 1.5,
                      50).fetchall()
assert all(row.ward in ("icu", "surgery") and 0 <= row.nights <= 9 for row in rows), rows
drawn = len(cursor.execute("SELECT * FROM dp_sample(NULL::visits, ?, 2500, seed => 3)",
                           release).fetchall())
view = cursor.execute("SELECT count(*) FROM visits_synthetic").fetchone()[0]
private = cursor.execute("SELECT ward, count(*) FROM visits WHERE nights >= ? GROUP BY ward ORDER BY ward",
                         5).fetchall()
link.commit()
try:
    cursor.execute("SELECT dp_release('visits', 'marginal', ?)", 99.0).fetchall()
    state = "none"
except pyodbc.Error as error:
    state = error.args[0]
print("plan", stages[-1][0], "rows", len(rows), "cursor", drawn, "view", view, "private", len(private),
      "sqlstate", state)
