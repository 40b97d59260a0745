"""Times of emitted queries in DuckDB over the table of letters."""

import time

import duckdb

query = {rows: open("refunds" + ("_rows" if rows else "") + ".sql").read() for rows in (False, True)}
lines = [line[2:].strip() for line in query[False].splitlines() if line.startswith("--")]
start = next(i for i, line in enumerate(lines) if line.startswith("CREATE TABLE"))
connection = duckdb.connect()


def timed(what, statement):
    begin = time.perf_counter()
    answer = connection.execute(statement).fetchall()
    seconds = time.perf_counter() - begin
    print(f"DuckDB {duckdb.__version__}, {what}: {seconds:.2f} s", end="")
    return answer, seconds


timed("reading the table", " ".join(lines[start : start + 2]))
print()
letters = connection.execute("SELECT count(*) FROM letters").fetchone()[0]
for rows in (False, True):
    what = "after each letter" if rows else "at the end of each session"
    count = "count(*) FILTER (standing LIKE '%violated')"
    answer, seconds = timed(what, f"SELECT law, {count} FROM ({query[rows].rstrip().rstrip(';')}) GROUP BY law")
    print(f", {letters / seconds / 1e6:.2f} million letters a second")
    if not rows:
        counts = dict(answer)
        print("not kept:", [counts[law] for law in ("receipt-first", "tests-after-edits", "push-at-last")])
