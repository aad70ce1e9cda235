${torus_7x7}/torus_7x7_control_a.v
${torus_7x7}/torus_7x7_leaf.v
${torus_7x7}/torus_7x7_router_a.v
${torus_7x7}/torus_7x7_router_b.v
${torus_7x7}/torus_7x7_router_c.v
${torus_7x7}/torus_7x7.v
