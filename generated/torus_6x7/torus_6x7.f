torus_6x7_control_a.v
torus_6x7_control_c.v
torus_6x7_leaf.v
torus_6x7_router_a.v
torus_6x7_router_b.v
torus_6x7_router_c.v
torus_6x7.v
