${torus_4x4_exchange}/torus_4x4_exchange_control_a.v
${torus_4x4_exchange}/torus_4x4_exchange_leaf.v
${torus_4x4_exchange}/torus_4x4_exchange_router_a.v
${torus_4x4_exchange}/torus_4x4_exchange.v
