"""Which function of the source a step of the model stands for, and whether it still does.

A step says the file, the function, and words that stand in its body in this order: the
calls whose order the model relies on. If one is renamed, moved or reordered, the suite
fails, and whoever did it looks at the model too.
"""
import os
import re
from collections import namedtuple

Place = namedtuple("Place", "file function words")

ROOT = os.environ["DPSYN_ROOT"]


def place(file, function, *words):
    return Place(file, function, words)


def implements(*places):
    """Says of a method of the model which functions it stands for."""
    def mark(method):
        method.places = places
        return method
    return mark


def by_postgresql(function):
    """The same of a step that PostgreSQL, or who runs it, takes: not ours to look up."""
    return implements(Place(None, function, ()))


def read(file):
    with open(os.path.join(ROOT, file), encoding="utf-8") as source:
        return source.read()


def body(source, function):
    """The text of a C function, or of an array, from its name to the brace that ends it."""
    found = re.search(r"^(?:%s\(|\} %s\[\])" % ((re.escape(function),) * 2), source, re.M)
    if found is None:
        return None
    end = re.compile(r"^\};?$", re.M).search(source, found.end())
    return source[found.start():end.end()] if end else None


def statement(source, name):
    """The text of the SQL statement that creates an object."""
    found = re.search(r"^CREATE (UNIQUE INDEX|TABLE|FUNCTION|VIEW) %s\b.*?;$" % re.escape(name),
                      source, re.M | re.S)
    return found.group() if found else None


def missing(where):
    """What is not there any more, as a sentence; None if all is there."""
    try:
        source = read(where.file)
    except OSError:
        return "%s is not there" % where.file
    find = statement if where.file.endswith(".sql") else body
    text = find(source, where.function)
    if text is None:
        return "%s is not in %s" % (where.function, where.file)
    at = 0
    for word in where.words:
        found = text.find(word, at)
        if found < 0:
            return "%s in %s has no %r%s" % (where.function, where.file, word,
                                             " there" if word in text else "")
        at = found + len(word)
    return None
