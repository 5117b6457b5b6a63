"""script/check-exits finds a fault of each kind, planted in a copy of the sources, and complains of
nothing in the sources as they are."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from dptest import Tap  # noqa: E402
from plant import planted  # noqa: E402

ROOT = os.environ["DPSYN_ROOT"]
tap = Tap()

SWALLOW = """
static void
careless(void (*call)(void))
{
	PG_TRY();
	{
		call();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(TopMemoryContext);
	}
	PG_END_TRY();
}
"""
LEAVE = """
static int
careless(int value)
{
	int level = dp_values_begin();

	if (value > 0)
		return 0;
	dp_values_end(level);
	return 1;
}
"""
FORGET = """
static void
careless(DpUserContext *elevation)
{
	dp_become_owner(elevation, InvalidOid);
}
"""
HARMLESS = """
/* PG_CATCH in a comment; BeginInternalSubTransaction(NULL); static int x; */
static const char *const words[] = {"FlushErrorState", "return"};

static int
careful(int value)
{
	int level = dp_values_begin();
	bool any = value > 0;

	dp_values_end(level);
	if (any)
		return 0;
	return words[0][0];
}
"""


def appended(more):
    return lambda text: text + more


def replaced(old, new):
    def edit(text):
        assert text.count(old) == 1, (text.count(old), old)
        return text.replace(old, new)
    return edit


# (what is planted, in which file, how, words of the complaint that is due)
PLANTS = [
    ("an error that is thrown on before the rollback", "server/subtransaction.c", planted,
     "a PG_CATCH neither throws on nor rolls back"),
    ("an error that is swallowed with no subtransaction", "sample/expression.c", appended(SWALLOW),
     "a PG_CATCH neither throws on nor rolls back"),
    ("the same in the worker", "worker/worker.c",
     replaced("		FlushErrorState();\n		AbortCurrentTransaction();\n	}", "		FlushErrorState();\n	}"),
     "a PG_CATCH neither throws on nor rolls back"),
    ("a subtransaction elsewhere", "domain/checks.c",
     appended("\nstatic void\ncareless(void)\n{\n\tBeginInternalSubTransaction(NULL);\n}\n"),
     "BeginInternalSubTransaction stands where it may not"),
    ("a resource owner of one's own", "sample/decode.c",
     appended("\nstatic void\ncareless(void)\n{\n\tCurrentResourceOwner = NULL;\n}\n"),
     "CurrentResourceOwner stands where it may not"),
    ("a return within PG_TRY", "release/release.c",
     replaced("		answer = answer_wait(segment, worker);\n", "		return answer_wait(segment, worker);\n"),
     "a return leaves a PG_TRY"),
    ("a return with settings pinned", "domain/levels.c", appended(LEAVE),
     "careless leaves without dp_values_end"),
    ("a user that stays another", "domain/levels.c", appended(FORGET),
     "careless ends without dp_unelevate"),
    ("a lock that is kept", "release/running.c",
     replaced("	table_unlock(table);\n	return running != NULL;\n}\n\n/* ---- the worker's side",
              "	return running != NULL;\n}\n\n/* ---- the worker's side"),
     "dp_place_stage leaves without table_unlock"),
    ("a static variable", "domain/levels.c", appended("\nstatic int careless = 0;\n"),
     "static careless is not in the list"),
    ("a static pointer to what is constant", "domain/levels.c",
     appended("\nstatic const char *careless;\n"), "static careless is not in the list"),
    ("a callback", "domain/levels.c",
     appended("\nstatic void\ncareless(void)\n{\n\tRegisterSubXactCallback(NULL, NULL);\n}\n"),
     "RegisterSubXactCallback stands where it may not"),
]


def complaints(directory):
    done = subprocess.run([os.path.join(ROOT, "script/check-exits"), directory],
                          capture_output=True, text=True)
    return done.returncode, [line[2:] for line in done.stdout.splitlines() if line.startswith("# ")]


def main():
    with tempfile.TemporaryDirectory(prefix="dpsyn-exits.") as work:
        copy = os.path.join(work, "pg")
        shutil.copytree(os.path.join(ROOT, "src/pg"), copy,
                        ignore=shutil.ignore_patterns("*.o", "*.bc"))
        tap.equal(complaints(copy), (0, []), "the sources as they are have no complaint")
        for name, path, edit, due in PLANTS + [("nothing but words", "domain/levels.c",
                                                appended(HARMLESS), None)]:
            file = os.path.join(copy, path)
            with open(file, encoding="utf-8") as opened:
                text = opened.read()
            with open(file, "w", encoding="utf-8") as opened:
                opened.write(edit(text))
            status, said = complaints(copy)
            with open(file, "w", encoding="utf-8") as opened:
                opened.write(text)
            if due is None:
                tap.equal((status, said), (0, []), "not caught: " + name)
            else:
                tap.ok(status == 1 and len(said) == 1 and said[0].startswith("src/pg/" + path)
                       and said[0].endswith(due), "caught: " + name, status, "\n".join(said))
    tap.done()


main()
