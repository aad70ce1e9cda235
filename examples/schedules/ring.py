"""Ring all-reduce (Patarasuk and Yuan 2009) on a cycle of 8 nodes, one way round."""

NODES = 8

print("tick,node,port,message")
for step in range(1, NODES):
    for node in range(NODES):
        # the partial of a block begins behind its own node, and is complete there after a round
        print(f"{step},{node},x1+,{(node - step) % NODES}")
        # results go round in the same way, after a tick of silence
        print(f"{NODES + step},{node},x1+,{(node - step + 1) % NODES}")
