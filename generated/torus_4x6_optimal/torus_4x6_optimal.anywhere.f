${torus_4x6_optimal}/torus_4x6_optimal_control_a.v
${torus_4x6_optimal}/torus_4x6_optimal_leaf.v
${torus_4x6_optimal}/torus_4x6_optimal_router_a.v
${torus_4x6_optimal}/torus_4x6_optimal.v
