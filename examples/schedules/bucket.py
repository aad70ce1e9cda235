"""Bucket all-gather (Barnett et al. 1994) on a 4x4 torus: a ring along each row, then one along each column."""

ROWS, COLUMNS = 4, 4

print("tick,node,port,message")
for row in range(ROWS):
    for column in range(COLUMNS):
        node = row * COLUMNS + column
        for step in range(1, COLUMNS):
            print(f"{step},{node},R,{row * COLUMNS + (column - step + 1) % COLUMNS}")
        # a bucket has the packets of a whole row
        for step in range(ROWS - 1):
            for place in range(COLUMNS):
                tick = COLUMNS + step * COLUMNS + place
                print(f"{tick},{node},B,{(row - step) % ROWS * COLUMNS + place}")
