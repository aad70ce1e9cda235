${torus_5x8_half}/torus_5x8_half_table_a.v
${torus_5x8_half}/torus_5x8_half_router_a.v
${torus_5x8_half}/torus_5x8_half.v
