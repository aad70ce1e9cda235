${torus_4x4_nodes}/torus_4x4_nodes_control_a.v
${torus_4x4_nodes}/torus_4x4_nodes_leaf.v
${torus_4x4_nodes}/torus_4x4_nodes_router_a.v
${torus_4x4_nodes}/torus_4x4_nodes_router_b.v
${torus_4x4_nodes}/torus_4x4_nodes.v
