"""Reads the bytes of a stored model (formats 1 to 4, src/core/model/model_bytes.c)."""
from collections import namedtuple

# structure: integers; of a release that is rows, its codes. sets: of independent sets, how many rows
# each has, and how many of the tables and of the structure are its own; they follow each other
Model = namedtuple("Model", "method neighbours rows_max rows attributes tables parameters structure sets")
# leaves, weights: of a range, the first coordinates of its leaves, and their weights; else None
Attribute = namedtuple("Attribute", "name labels has_other leaves weights")
# cells: {codes: noisy count}; dense tables have all cells. epsilon, delta and threshold are 0 for
# Gaussian noise; rho and the squared L2 sensitivity are 0 for other noise.
Table = namedtuple("Table", "attributes dense noise epsilon delta sensitivity threshold cells rho l2_squared")
GAUSSIAN = 4


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def integer(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def signed(self):
        value = self.integer()
        return (value >> 1) ^ -(value & 1)

    def text(self):
        length = self.integer()
        self.at += length
        return self.data[self.at - length:self.at].decode("utf-8")


def read_range(reader, name, has_other, listed):
    """Bins that were found, of a list of categories too. Their labels are first coordinates here."""
    reader.byte(), reader.byte()
    first, last, _, _ = reader.signed(), reader.signed(), reader.integer(), reader.signed()
    for _ in range(last + 1 if listed else 0):
        reader.text()
    leaves, weights, bins = [], [], []
    for i in range(reader.integer()):
        leaves.append(leaves[-1] + reader.integer() if i else first)
        weight = reader.integer()
        weights.append(weight // 2)
        if weight % 2:
            bins.append(leaves[-1])
    return Attribute(name, bins, has_other, leaves, weights), len(bins) + has_other


def read_attribute(reader):
    flags = reader.byte()
    name = reader.text()
    if flags & 8:
        reader.text()
    if flags & 4:
        reader.text()
    if flags & 16:
        return read_range(reader, name, bool(flags & 2), bool(flags & 32))
    labels = [reader.text() for _ in range(reader.integer())]
    levels = len(labels) - (flags & 1) + (flags >> 1 & 1)
    return Attribute(name, labels, bool(flags & 2), None, None), levels


def codes_of(index, levels):
    codes = []
    for level in reversed(levels):
        codes.append(index % level)
        index //= level
    return tuple(reversed(codes))


def read_table(reader, levels):
    flags = reader.byte()
    attributes = [reader.integer() for _ in range(reader.integer())]
    epsilon = delta = threshold = rho = l2_squared = 0
    if flags >> 1 == GAUSSIAN:
        rho, l2_squared, sensitivity = (reader.integer() for _ in range(3))
    else:
        epsilon, delta, sensitivity, threshold = (reader.integer() for _ in range(4))
    cells = {}
    if flags & 1 == 0:
        shape = [levels[a] for a in attributes]
        total = 1
        for level in shape:
            total *= level
        index = 0
        while index < total:
            value = reader.signed()
            run = 1 if value else 1 + reader.integer()
            for _ in range(run):
                cells[codes_of(index, shape)] = value
                index += 1
    else:
        for _ in range(reader.integer()):
            codes = tuple(reader.integer() for _ in attributes)
            cells[codes] = threshold + reader.integer()
    return Table(attributes, flags & 1 == 0, flags >> 1, epsilon * 1e-9, delta * 1e-18, sensitivity,
                 threshold, cells, rho * 1e-12, l2_squared)


def skip_public(reader, levels):
    """Zeros and priors: public, so nothing here asks for them."""
    for _ in range(reader.integer()):
        members = reader.integer()
        for _ in range(members):
            reader.integer()
        for _ in range(members * reader.integer()):
            reader.integer()
    for _ in range(reader.integer()):
        cells = 1
        for _ in range(reader.integer()):
            cells *= levels[reader.integer()]
        for _ in range(1 + cells):
            reader.integer()


def parse(data):
    reader = Reader(bytes(data)[:-8])
    version = reader.byte()
    if version not in (1, 2, 3, 4):
        raise ValueError("not a model of format 1 to 4")
    method, neighbours, rows_max, rows = (reader.text(), reader.integer(), reader.integer(),
                                          reader.integer())
    described = [read_attribute(reader) for _ in range(reader.integer())]
    levels = [level for _, level in described]
    tables = [read_table(reader, levels) for _ in range(reader.integer())]
    parameters = {}
    for _ in range(reader.integer()):
        name = reader.text()
        parameters[name] = reader.signed()
    structure, sets = [], []
    if version >= 2:
        structure = [reader.integer() for _ in range(reader.integer())]
        sets = [tuple(reader.integer() for _ in range(3)) for _ in range(reader.integer())]
    if version == 4:
        skip_public(reader, levels)
    if reader.at != len(reader.data):
        raise ValueError("bytes are left over")
    return Model(method, neighbours, rows_max, rows, [a for a, _ in described], tables, parameters,
                 structure, sets)


def apart(released):
    """Each of the independent sets as a release of its own."""
    table = place = 0
    parts = []
    for rows, tables, structure in released.sets or \
            [(released.rows, len(released.tables), len(released.structure))]:
        parts.append(released._replace(
            rows=rows, tables=released.tables[table:table + tables],
            structure=released.structure[place:place + structure], sets=[]))
        table, place = table + tables, place + structure
    return parts
