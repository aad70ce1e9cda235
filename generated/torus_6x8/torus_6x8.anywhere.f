${torus_6x8}/torus_6x8_control_a.v
${torus_6x8}/torus_6x8_leaf.v
${torus_6x8}/torus_6x8_router_a.v
${torus_6x8}/torus_6x8_router_b.v
${torus_6x8}/torus_6x8.v
