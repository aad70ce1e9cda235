
    // frames at {{ side.label }}
    wire [{{ side.high }}{{ beyond }}:0] {{ side.name }}_in_tdata;
    wire {{ side.name }}_in_tvalid;
    wire {{ side.name }}_in_tready;
    wire [{{ side.high }}{{ beyond }}:0] {{ side.name }}_out_tdata;
    wire {{ side.name }}_out_tvalid;
    wire {{ side.name }}_out_tready;
    wire {{ side.name }}_frame_unused = &{1'b0, {{ side.name }}_in_tready};