"""What machines learn from rows of categories: shared by predict.py and the papers' experiments. Needs scikit-learn."""
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC


def features(rows, target):
    """The rows without the column that is to be told; NULL is a category."""
    return [[v if v is not None else "" for j, v in enumerate(row) if j != target] for row in rows]


def encoded(train, test, target):
    """Both tables as 0 and 1, a column for each category of the training rows."""
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False).fit(features(train, target))
    return [encoder.transform(features(rows, target)) for rows in (train, test)]


def radial_machine():
    """The support vector machine of experiment 2 of the CIPHER paper."""
    return SVC()
