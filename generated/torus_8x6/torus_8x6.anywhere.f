${torus_8x6}/torus_8x6_router_a.v
${torus_8x6}/torus_8x6_router_b.v
${torus_8x6}/torus_8x6.v
