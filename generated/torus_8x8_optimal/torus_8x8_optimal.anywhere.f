${torus_8x8_optimal}/torus_8x8_optimal_table_a.v
${torus_8x8_optimal}/torus_8x8_optimal_router_a.v
${torus_8x8_optimal}/torus_8x8_optimal.v
