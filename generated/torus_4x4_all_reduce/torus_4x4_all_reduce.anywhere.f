${torus_4x4_all_reduce}/torus_4x4_all_reduce_control_a.v
${torus_4x4_all_reduce}/torus_4x4_all_reduce_leaf.v
${torus_4x4_all_reduce}/torus_4x4_all_reduce_router_a.v
${torus_4x4_all_reduce}/torus_4x4_all_reduce_router_b.v
${torus_4x4_all_reduce}/torus_4x4_all_reduce.v
