"""Plants the fault that this suite is for: an error is thrown on before its subtransaction is
rolled back."""
import sys

ROLLBACK = """		RollbackAndReleaseCurrentSubTransaction();
		MemoryContextSwitchTo(context);
		CurrentResourceOwner = owner;
"""
THROW = """			PG_RE_THROW();
"""


def planted(text):
    assert text.count(ROLLBACK) == 1 and text.count(THROW) == 1
    return text.replace(ROLLBACK, "").replace(THROW, THROW + ROLLBACK)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        TEXT = file.read()
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(planted(TEXT))
