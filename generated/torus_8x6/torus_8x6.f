torus_8x6_control_a.v
torus_8x6_control_b.v
torus_8x6_leaf.v
torus_8x6_router_a.v
torus_8x6_router_b.v
torus_8x6.v
