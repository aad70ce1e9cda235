"""Ring all-gather for 4 ranks, one way round, as tools for MSCCL write it: each rank passes on what it receives."""

NODES = 4


def step(number, kind, source, target):
    print(f'      <step s="{number}" type="{kind}" srcbuf="{source[0]}" srcoff="{source[1]}" dstbuf="{target[0]}" '
          f'dstoff="{target[1]}" cnt="1" depid="-1" deps="-1" hasdep="0"/>')


print(f'<algo name="ring" proto="Simple" nchannels="1" nchunksperloop="{NODES}" ngpus="{NODES}" coll="allgather" '
      'inplace="1">')
for rank in range(NODES):
    print(f'  <gpu id="{rank}" i_chunks="1" o_chunks="{NODES}" s_chunks="0">')
    print(f'    <tb id="0" send="{(rank + 1) % NODES}" recv="{(rank - 1) % NODES}" chan="0">')
    step(0, "s", ("i", 0), ("o", rank))
    for number in range(1, NODES):
        # the chunk of the rank that is so many steps before this one; the last one has been everywhere
        place = ("o", (rank - number) % NODES)
        step(number, "rcs" if number < NODES - 1 else "r", place, place)
    print("    </tb>")
    print("  </gpu>")
print("</algo>")
