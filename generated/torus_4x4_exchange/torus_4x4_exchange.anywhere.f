${torus_4x4_exchange}/torus_4x4_exchange_table_a.v
${torus_4x4_exchange}/torus_4x4_exchange_router_a.v
${torus_4x4_exchange}/torus_4x4_exchange.v
