"""Evaluates queries over data files with Python's own csv, json and sqlite3: a second opinion on what a binding gives.

stdin: {"root": folder, "views": {name: sql}, "queries": [sql, ...]} as JSON; stdout: for each query its rows, or null when it fails.
Knows CSV (first row = header, values typed one by one, empty = NULL) and JSON documents (`doc`), which is what the papers use.
"""

import csv
import glob
import json
import math
import os
import re
import sqlite3
import statistics
import sys


def typed(text):
    if text == "":
        return None
    for kind in (int, float):
        try:
            number = kind(text)
            return number if math.isfinite(number) else text
        except ValueError:
            pass
    return text


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def load(base, root, name):
    paths = sorted(glob.glob(os.path.join(root, name), recursive=True))
    for path in paths:
        relative = os.path.relpath(path, root)
        if path.endswith(".csv"):
            with open(path, newline="", encoding="utf-8-sig") as file:
                head, *rows = [row for row in csv.reader(file) if row]
            rows = [[typed(cell) for cell in row] for row in rows]
        else:
            with open(path, encoding="utf-8-sig") as file:
                head, rows = ["doc"], [[file.read()]]
        head = head + ["_path"]
        base.execute(f"create table if not exists {quoted(name)} ({', '.join(map(quoted, head))})")
        marks = ", ".join("?" * len(head))
        base.executemany(f"insert into {quoted(name)} values ({marks})", [row + [relative] for row in rows])


def aggregate(base, name, arity, finish):
    class Collected:
        def __init__(self):
            self.rows = []

        def step(self, *values):
            if None not in values:
                self.rows.append(values)

        def finalize(self):
            return finish(self.rows) if self.rows else None

    base.create_aggregate(name, arity, Collected)


def quantile(values, share):
    values = sorted(values)
    at = share * (len(values) - 1)
    low = math.floor(at)
    return values[low] + (at - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def main():
    asked = json.load(sys.stdin)
    base = sqlite3.connect(":memory:")
    firsts = lambda rows: [row[0] for row in rows]
    aggregate(base, "median", 1, lambda rows: quantile(firsts(rows), 0.5))
    aggregate(base, "quantile", 2, lambda rows: quantile(firsts(rows), rows[0][1]))
    aggregate(base, "stddev", 1, lambda rows: statistics.stdev(firsts(rows)) if len(rows) > 1 else None)
    for name, function, arity in [("exp", math.exp, 1), ("sqrt", math.sqrt, 1), ("ln", math.log, 1), ("pow", math.pow, 2)]:
        base.create_function(name, arity, lambda *values, call=function: None if None in values else call(*values))
    views = asked["views"]
    texts = list(views.values()) + asked["queries"]
    names = {name for text in texts for name in re.findall(r'"([^"]+\.(?:csv|json))"', text)}
    for name in sorted(names):
        load(base, asked["root"], name)
    for name, sql in views.items():
        base.execute(f"create view {quoted(name)} as {sql}")
    answers = []
    for sql in asked["queries"]:
        try:
            answers.append(base.execute(sql).fetchall())
        except sqlite3.Error:
            answers.append(None)
    json.dump(answers, sys.stdout)


main()
