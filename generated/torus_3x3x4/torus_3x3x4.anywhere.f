${torus_3x3x4}/torus_3x3x4_control_a.v
${torus_3x3x4}/torus_3x3x4_leaf.v
${torus_3x3x4}/torus_3x3x4_router_a.v
${torus_3x3x4}/torus_3x3x4_router_b.v
${torus_3x3x4}/torus_3x3x4_router_c.v
${torus_3x3x4}/torus_3x3x4.v
