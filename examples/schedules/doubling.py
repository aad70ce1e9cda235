"""Recursive halving and doubling (Thakur et al. 2005) on a hypercube of 8 nodes: an all-reduce."""

AXES = 3
NODES = 2**AXES

print("tick,node,port,message")
tick = 0
# halving: of the blocks that a node still has it sends those of its partner's half
for axis in range(AXES):
    bit = NODES >> (axis + 1)
    for low in range(bit):
        tick += 1
        for node in range(NODES):
            block = (node ^ bit) // bit * bit + low
            print(f"{tick},{node},x{axis + 1}+,{block}")
# a tick of silence, then doubling: partners tell each other the results that they have
tick += 1
for axis in reversed(range(AXES)):
    bit = NODES >> (axis + 1)
    for low in range(bit):
        tick += 1
        for node in range(NODES):
            print(f"{tick},{node},x{axis + 1}+,{node // bit * bit + low}")
