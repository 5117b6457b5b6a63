def compare(data, runs): pass
