// An analyst's session by node-postgres. A cursor is declared by hand, as its cursor module does.
const { Client } = require("pg");

async function main() {
  const link = new Client({ database: "postgres" });
  await link.connect();
  const plan = await link.query("SELECT stage FROM dp_explain('visits', 'marginal', $1)", [1.5]);
  const rows = await link.query(
    "SELECT * FROM dp_synthesize_marginal(NULL::visits, $1, rows => $2)", [1.5, 50]);
  await link.query("BEGIN");
  await link.query(
    `DECLARE drawn CURSOR FOR SELECT * FROM dp_sample(NULL::visits, ${process.env.RELEASE}, 2500, seed => 3)`);
  let drawn = 0;
  for (let part; (part = (await link.query("FETCH 500 FROM drawn")).rows.length) > 0; ) drawn += part;
  await link.query("COMMIT");
  const view = await link.query("SELECT count(*)::integer AS n FROM visits_synthetic");
  const asked = await link.query(
    "SELECT ward, count(*) FROM visits WHERE nights >= $1 GROUP BY ward ORDER BY ward", [5]);
  let state = "none";
  try {
    await link.query("SELECT dp_release('visits', 'marginal', $1)", [99]);
  } catch (error) {
    state = error.code;
  }
  await link.end();
  console.log(`plan ${plan.rows[plan.rows.length - 1].stage} rows ${rows.rows.length}` +
    ` cursor ${drawn} view ${view.rows[0].n} private ${asked.rows.length} sqlstate ${state}`);
}

main().catch((error) => console.log("failed", error));
