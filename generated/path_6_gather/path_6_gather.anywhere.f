${path_6_gather}/path_6_gather_tap.v
${path_6_gather}/path_6_gather_tap_last.v
${path_6_gather}/path_6_gather.v
