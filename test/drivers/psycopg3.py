"""An analyst's session by psycopg 3. Amounts are floats, which the driver sends as float8."""
import os

import psycopg

release = int(os.environ["RELEASE"])
with psycopg.connect("dbname=postgres") as link:
    stages = link.execute("SELECT stage FROM dp_explain('visits', 'marginal', %s)", (1.5,)).fetchall()
    rows = link.execute("SELECT * FROM dp_synthesize_marginal(NULL::visits, %s, rows => %s)",
                        (1.5, 50)).fetchall()
    assert all(ward in ("icu", "surgery") and 0 <= nights <= 9 for ward, nights in rows), rows
    with link.cursor("drawn") as cursor:
        cursor.itersize = 500
        cursor.execute("SELECT * FROM dp_sample(NULL::visits, %s, 2500, seed => 3)", (release,))
        drawn = sum(1 for _ in cursor)
    view = link.execute("SELECT count(*) FROM visits_synthetic").fetchone()[0]
    private = link.execute("SELECT ward, count(*) FROM visits WHERE nights >= %s GROUP BY ward ORDER BY ward", (5,)).fetchall()
    link.commit()
    try:
        link.execute("SELECT dp_release('visits', 'marginal', %s)", (99.0,))
        state = "none"
    except psycopg.Error as error:
        state = error.sqlstate
    link.rollback()
print("plan", stages[-1][0], "rows", len(rows), "cursor", drawn, "view", view, "private", len(private),
      "sqlstate", state)
