${torus_8x8_optimal}/torus_8x8_optimal_control_a.v
${torus_8x8_optimal}/torus_8x8_optimal_leaf.v
${torus_8x8_optimal}/torus_8x8_optimal_router_a.v
${torus_8x8_optimal}/torus_8x8_optimal.v
