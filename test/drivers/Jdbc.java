import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** An analyst's session by JDBC. A fetch size makes the driver read through a cursor. */
public class Jdbc {
  static int rows(Connection link, String statement, Object... values) throws SQLException {
    try (PreparedStatement prepared = link.prepareStatement(statement)) {
      prepared.setFetchSize(500);
      for (int i = 0; i < values.length; i++) {
        prepared.setObject(i + 1, values[i]);
      }
      int n = 0;
      try (ResultSet result = prepared.executeQuery()) {
        while (result.next()) {
          last = result.getString(1);
          n++;
        }
      }
      return n;
    }
  }

  static String last;

  public static void main(String[] arguments) throws SQLException {
    String url = "jdbc:postgresql://127.0.0.1:" + System.getenv("PGPORT") + "/postgres?user=ann";
    try (Connection link = DriverManager.getConnection(url)) {
      link.setAutoCommit(false);
      rows(link, "SELECT stage FROM dp_explain('visits', 'marginal', ?)", 1.5);
      String stage = last;
      int made = rows(link, "SELECT * FROM dp_synthesize_marginal(NULL::visits, ?, rows => ?)", 1.5, 50);
      int drawn = rows(link, "SELECT * FROM dp_sample(NULL::visits, ?, 2500, seed => 3)",
          Long.valueOf(System.getenv("RELEASE")));
      int view = rows(link, "SELECT * FROM visits_synthetic");
      int asked = rows(link,
          "SELECT ward, count(*) FROM visits WHERE nights >= ? GROUP BY ward ORDER BY ward", 5);
      link.commit();
      String state = "none";
      try {
        rows(link, "SELECT dp_release('visits', 'marginal', ?)", 99.0);
      } catch (SQLException error) {
        state = error.getSQLState();
      }
      System.out.println("plan " + stage + " rows " + made + " cursor " + drawn + " view " + view
          + " private " + asked
          + " sqlstate " + state);
    }
  }
}
