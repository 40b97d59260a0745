"""Runs emitted queries in DuckDB and compares their answers row by row."""

import json

import duckdb

total = 0
for stem in open("index.txt").read().split():
    queries = {rows: open(stem + ("_rows" if rows else "") + ".sql", encoding="utf-8").read() for rows in (False, True)}
    # The statement that reads the table is in the comment.
    lines = [line[2:].strip() for line in queries[False].splitlines() if line.startswith("--")]
    start = next(i for i, line in enumerate(lines) if line.startswith("CREATE TABLE"))
    create = " ".join(lines[start : start + 2]).replace("letters.csv", stem + ".csv")
    connection = duckdb.connect()
    connection.execute(create)
    expected = [tuple(json.loads(line)) for line in open(stem + ".expected", encoding="utf-8")]
    rows = connection.execute(queries[True]).fetchall()
    got = [(session, position, law, standing) for session, position, law, _, standing, _ in rows]
    assert sorted(got, key=repr) == sorted(expected, key=repr), (stem, set(got) ^ set(expected))
    last = {(session, law): (position, standing) for session, position, law, standing in sorted(expected, key=lambda row: row[1])}
    final = connection.execute(queries[False]).fetchall()
    assert len(final) == len(last)
    for session, law, _, standing, overflowed in final:
        assert last[session, law][1] == standing and not overflowed, (stem, session, law, standing)
    total += len({session for session, *_ in expected})
print("sessions", total)
