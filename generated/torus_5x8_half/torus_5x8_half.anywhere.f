${torus_5x8_half}/torus_5x8_half_control_a.v
${torus_5x8_half}/torus_5x8_half_leaf.v
${torus_5x8_half}/torus_5x8_half_router_a.v
${torus_5x8_half}/torus_5x8_half.v
