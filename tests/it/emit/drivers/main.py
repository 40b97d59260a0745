# Runs every driver on its scripts.
import asyncio
import importlib

total = 0
for line in open("index.txt"):
    stem, traced = line.split()
    driver = importlib.import_module(stem + "_driver")
    lines = open(stem + ".script").read().splitlines()
    assert lines[-1] == "Q"
    total += asyncio.run(driver.run(lines, traced == "1"))
print("steps", total)
