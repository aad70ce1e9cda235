"""Swing all-gather (De Sensi et al. 2024) on a cycle of 16 nodes: partners lie 5, 3, 1 and 1 links apart."""

NODES, STEPS = 16, 4

print("tick,node,port,message")
has = {node: [node] for node in range(NODES)}
busy, last = set(), 0
for step in reversed(range(STEPS)):
    distance = (1 - (-2) ** (step + 1)) // 3
    first, had = last + 1, {node: list(blocks) for node, blocks in has.items()}
    for node in range(NODES):
        way = distance if node % 2 == 0 else -distance
        port, move = ("x1+", 1) if way > 0 else ("x1-", -1)
        for block in had[node]:
            tick, here = first, node
            for _ in range(abs(way)):
                # every hop takes the first tick in which its link is free
                while (tick, here, port) in busy:
                    tick += 1
                busy.add((tick, here, port))
                print(f"{tick},{here},{port},{block}")
                last, tick, here = max(last, tick), tick + 1, (here + move) % NODES
            has[here].append(block)
