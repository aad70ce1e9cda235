${path_9_half}/path_9_half_router_a.v
${path_9_half}/path_9_half_router_b.v
${path_9_half}/path_9_half_router_c.v
${path_9_half}/path_9_half_router_d.v
${path_9_half}/path_9_half.v
