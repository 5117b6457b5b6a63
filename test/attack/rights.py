"""Ways to have one's own code run with the rights of another."""
import scene
from dptest import Attacks, Tap, Thread, check, one, refused, run, session

attack = Attacks()
boss = scene.set_up()

# Functions that are called immutable, and write down who runs them and what they see.
run(boss, """
SET ROLE eve;
GRANT USAGE ON SCHEMA eve TO public;
CREATE TABLE eve.witness (who name, sees bigint);
GRANT ALL ON eve.witness TO public;
CREATE FUNCTION eve.look() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
  BEGIN SELECT count(*) INTO n FROM public.people; EXCEPTION WHEN OTHERS THEN n := NULL; END;
  INSERT INTO eve.witness VALUES (current_user, n);
  RETURN 1;
END $$;
CREATE FUNCTION eve.constant(integer) RETURNS integer IMMUTABLE LANGUAGE plpgsql AS
  $$ BEGIN RETURN eve.look(); END $$;
RESET ROLE;
SET ROLE boss;
CREATE TABLE visits (person integer REFERENCES people, sex text NOT NULL);
INSERT INTO visits SELECT i, 'f' FROM generate_series(1, 50) i;
SELECT dp_protect('visits', parent => 'people');
SELECT dp_grant('visits', 'eve', 100);
RESET ROLE;
""")

QUESTION = ("SELECT * FROM dp_sql('SELECT count(*) FROM people p JOIN eve.words w ON w.sex = p.sex',"
            " 0.5) AS (n bigint)")
WORDS = """
SET client_min_messages = warning;
DROP TABLE IF EXISTS eve.words CASCADE;
CREATE TABLE eve.words (sex text, word text) %s;
%s
INSERT INTO eve.words VALUES ('f', 'woman'), ('m', 'man');
GRANT SELECT ON eve.words TO public;
SELECT dp_declare_public('eve.words');
"""
UNIQUE = "CREATE UNIQUE INDEX ON eve.words (sex);"


def ask_with(code, partitioned="", asked=QUESTION, refuses=True):
    """The question about a public table of the analyst's own that brings code."""
    with session("eve") as eve:
        run(eve, WORDS % (partitioned, code))
        run(eve, "DELETE FROM eve.witness")
        if refuses:
            with refused("42501"):
                run(eve, asked)
        else:
            run(eve, asked)
    check(one(boss, "SELECT count(*) FROM eve.witness WHERE who <> 'eve'") == 0,
          run(boss, "SELECT * FROM eve.witness"))


@attack("an index of a public table is a superuser's code in the worker", paid=0)
def index_predicate_of_a_public_table():
    ask_with(UNIQUE + "CREATE UNIQUE INDEX ON eve.words (word) WHERE eve.constant(1) = 1;")
    check(one(boss, "SELECT count(*) FROM eve.witness") == 0, "it runs in the caller's session")


@attack("an index of a public table runs as who owns the protected one", paid=0)
def index_expression_of_a_public_table():
    ask_with(UNIQUE + "CREATE INDEX ON eve.words ((length(word) + eve.constant(1)));")


@attack("statistics of a public table run as who owns the protected one", paid=0)
def statistics_of_a_public_table():
    ask_with(UNIQUE + "CREATE STATISTICS eve.of_words ON (length(word) + eve.constant(1)), sex"
             " FROM eve.words;")


@attack("a partition key of a public table runs as who owns the protected one", paid=0)
def partition_key_of_a_public_table():
    ask_with("CREATE TABLE eve.one PARTITION OF eve.words DEFAULT;",
             "PARTITION BY RANGE ((length(word) + eve.constant(1)))",
             QUESTION.replace("FROM people p", "FROM visits p"))


def ask_by_hash_index(condition):
    """A scan of a partial hash index looks at the index's condition again, row by row."""
    with session("eve") as eve:
        run(eve, WORDS % ("", "") + "INSERT INTO eve.words SELECT CASE WHEN mod(i, 20) = 0 THEN 'f'"
            " ELSE i || repeat('q', 500) END, NULL FROM generate_series(1, 20000) i;"
            "CREATE INDEX ON eve.words USING hash (sex) WHERE word IS NOT NULL OR %s;"
            "ANALYZE eve.words; DELETE FROM eve.witness" % condition)
        plan = str(run(eve, "EXPLAIN SELECT * FROM eve.words WHERE sex = 'f' AND word = 'woman'"))
        check("Recheck Cond" in plan and "IS NOT NULL" in plan, plan)
        run(eve, "SELECT * FROM dp_sql($$SELECT count(*) FROM visits p JOIN eve.words w ON w.sex = p.sex"
            " WHERE w.sex = 'f' AND w.word = 'woman'$$, 0.5) AS (n bigint)")
    check(one(boss, "SELECT count(*) FROM eve.witness") == 0, run(boss, "SELECT * FROM eve.witness"))


@attack("the condition of a partial index is checked as who owns the protected table", paid=1)
def condition_of_a_partial_index():
    ask_by_hash_index("eve.constant(length(sex)) = 1")


@attack("the same by a domain type, whose CHECK is somebody's code", paid=1)
def domain_in_a_partial_index():
    run(boss, "SET ROLE eve; CREATE DOMAIN eve.looking AS text CHECK (eve.constant(length(VALUE)) = 1);"
        "RESET ROLE")
    ask_by_hash_index("sex::eve.looking = sex")


@attack("a table of which such code depends on a column is refused", paid=1)
def code_that_is_not_constant():
    ask_with(UNIQUE + "CREATE INDEX ON eve.words (eve.constant(length(word)));", refuses=False)


@attack("whoever looks at columns runs the code of a public table that they refer to", paid=1)
def public_table_that_columns_refer_to():
    with session("eve") as eve:
        run(eve, WORDS % ("", UNIQUE))
        run(eve, "ALTER TABLE eve.words ADD PRIMARY KEY (sex);"
            "CREATE INDEX ON eve.words (word) WHERE eve.constant(1) = 1;"
            # and this refers to it
            "CREATE TABLE eve.refers (id integer PRIMARY KEY, sex text NOT NULL REFERENCES eve.words);"
            "INSERT INTO eve.refers SELECT i, 'f' FROM generate_series(1, 100) i;"
            "SELECT dp_protect('eve.refers', 10); SELECT dp_grant('eve.refers', 'bob', 1)")
        run(eve, "DELETE FROM eve.witness")
    with session("bob") as bob:
        check(run(bob, "SELECT source, levels FROM dp_columns WHERE relation = 'eve.refers'::regclass"
                  " AND column_name = 'sex'") == [("public table", 2)], "the keys were not read")
        one(bob, "SELECT dp_release('eve.refers', 'marginal', 0.1)")
    check(one(boss, "SELECT count(*) FROM eve.witness") == 0, run(boss, "SELECT * FROM eve.witness"))


@attack("an owner's ALTER TABLE frees what another session reads of it, and ends the server", paid=0)
def changed_while_it_is_read():
    run(boss, "SET ROLE boss; CREATE TABLE notes (person integer REFERENCES people, next integer REFERENCES people,"
        " former integer REFERENCES people, sex text CHECK (sex IN ('f', 'm')));"
        "SELECT dp_protect('notes', parent => 'people', unit_column => 'person'); RESET ROLE")
    done = []

    def change():
        while not done:
            run(changing, "ALTER TABLE notes ALTER sex SET STATISTICS 10; ALTER TABLE people ALTER sex SET STATISTICS 10")

    with session() as changing, session() as reading:
        changes = Thread(change)
        try:
            run(reading, "DO $$ BEGIN FOR i IN 1..500 LOOP PERFORM dp_explain('notes', 'marginal', 1); END LOOP; END $$")
        finally:
            done.append(True)
        changes.finish()


tap = Tap()
attack.run(tap, boss)
tap.done()
