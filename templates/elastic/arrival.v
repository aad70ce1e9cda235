
    // in the clock of the cable, a frame; high: there is one, its seed is that of the neighbour's port, or as in the frame before;
    // it changed from that one
    reg [BITS+{{ overhead - 1 }}:0] latest;
    reg came;
    initial came = 1'b0;
    reg right;
    reg same;
    reg changed;
    reg [{{ crc.field - 1 }}:0] last_seed;
    initial last_seed = {{ crc.field }}'d0;
    wire [{{ crc.field - 1 }}:0] c;
    {{ crc_module }} #(.BITS(BITS + {{ sequence + 3 }})) crc (.d(s_axis_tdata[BITS+{{ overhead - 1 }}:{{ crc.field }}]), .c(c));
    wire [{{ crc.field - 1 }}:0] seed = c ^ s_axis_tdata[{{ crc.field - 1 }}:0];

    always @(posedge s_axis_aclk) begin
        came <= s_axis_tvalid;
        if (s_axis_tvalid) begin
            latest <= s_axis_tdata;
            right <= seed == {1'b1, expected[{{ crc.field - 2 }}:0]};
            same <= seed[{{ crc.field - 1 }}] & (seed == last_seed);
            changed <= s_axis_tdata[{{ crc.field - 1 }}:0] != latest[{{ crc.field - 1 }}:0];
            last_seed <= seed;
        end
    end

    // frames that enter the buffer; parts of an identity in their order, but for one that is long in coming
    wire [2:0] latest_kind = latest[BITS+{{ overhead - 1 }}:BITS+{{ overhead - 3 }}];
    wire [{{ sequence - 1 }}:0] latest_number = latest[BITS+{{ overhead - 4 }}:BITS+{{ crc.field }}];
    wire whole = right | same;
    wire is_part = (latest_kind == 3'd{{ kinds.hello }}) | (latest_kind == 3'd{{ kinds.ready }});
    reg [{{ sequence - 1 }}:0] part;
    reg [{{ sequence }}:0] left_out;
    initial begin
        part = {{ sequence }}'d0;
        left_out = {{ sequence + 1 }}'d0;
    end
    wire alone;
    wire room;
    wire enters = came & (~whole | (latest_kind == 3'd{{ kinds.token }}) |{% if is_common %} (latest_kind == 3'd{{ kinds.start }}) |{% endif %}
        (alone & (~is_part | (latest_number == part) | (&left_out))));

    always @(posedge s_axis_aclk) begin
        if (came & whole & is_part) begin
            left_out <= enters ? {{ sequence + 1 }}'d0 : left_out + { {{- sequence }}'d0, ~(&left_out)};
            if (enters & room) begin
                part <= ({1'b0, latest_number} + {{ sequence + 1 }}'d1 < PARTS[{{ sequence }}:0]) ? latest_number + {{ sequence }}'d1 : {{ sequence }}'d0;
            end
        end
    end

    // a frame, in the clock of the board from here on
    wire seen;
    wire sound;
    wire steady;
    wire fresh;
    wire [2:0] kind;
    wire [{{ sequence - 1 }}:0] number;

    {{ crossing }} #(
        .WIDTH(BITS + {{ sequence + 5 }})
    ) crossing (
        .s_axis_aclk(s_axis_aclk),
        .s_axis_tdata({right, same, changed, latest[BITS+{{ overhead - 1 }}:{{ crc.field }}]}),
        .s_axis_tvalid(enters),
        .s_axis_tready(room),
        .alone(alone),
        .clk(clk),
        .rst(rst),
        .first({sound, steady, fresh, kind, number, token}),
        .filled(seen),
        .take(seen)
    );
