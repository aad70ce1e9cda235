${torus_4x5_boards}/torus_4x5_boards_control_a.v
${torus_4x5_boards}/torus_4x5_boards_control_c.v
${torus_4x5_boards}/torus_4x5_boards_leaf.v
${torus_4x5_boards}/torus_4x5_boards_router_a.v
${torus_4x5_boards}/torus_4x5_boards_router_b.v
${torus_4x5_boards}/torus_4x5_boards_router_c.v
${torus_4x5_boards}/torus_4x5_boards.v
