#!/usr/bin/env python3
import heapq, json, sys

def answer(**what):
    print(json.dumps(what), flush=True)

sys.stdin.readline()  # hello: mode, seed, budget
answer(protocol=1, format="json", addresses=False)
known = {}  # candidates: oldest copy first, ties as seeded
for line in sys.stdin:
    told = json.loads(line)
    for p in told["pages"]:
        known[p["page"]] = (p["last"], p["tie"], p["page"])
    for page in told["out"]:
        known.pop(page, None)
    best = heapq.nsmallest(told["want"], known.values()) if told["want"] else []
    for *_, page in best:
        del known[page]
    answer(visit=[page for *_, page in best])
