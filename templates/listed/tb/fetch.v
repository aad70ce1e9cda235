
    // Words of one node for one call, by block and place.
    localparam integer FIRST = 0;
    localparam integer LONGEST = {{ most / nodes }};
    localparam integer LASTFETCHED = {{ most - 1 }};
    reg [WIDE-1:0] fetched [FIRST:LASTFETCHED];

    // Coordinates of a node side by side.
    function [{{ sizes.code - 1 }}:0] code_of(input integer node);
        case (node)
{%- for code in codes %}
            {{ loop.index0 }}: code_of = {{ sizes.code }}'d{{ code }};
{%- endfor %}
            default: code_of = {{ sizes.code }}'d0;
        endcase
    endfunction

    task complain(input integer node);
        begin
            $display("call %0d: a word of another program or block at node %0d, or a wrong end", called, node);
            errors = errors + 1;
        end
    endtask
{%- if sizes.has_blocks() %}

    // Number of the node with these coordinates, or NODES.
    function integer node_of(input [{{ sizes.code - 1 }}:0] code);
        integer node;
        begin
            node_of = NODES;
            for (node = 0; node < NODES; node = node + 1) if (code_of(node) == code) node_of = node;
        end
    endfunction
{%- endif %}
{% if sizes.has_read_port() %}
    // Words are read up or down from any of them, one per clock at most; the last read frees the memory, or a later clock does.
    integer block_at [FIRST:LASTFETCHED];
    integer place_at [FIRST:LASTFETCHED];
    task fetch(input integer v, input integer blocks, input integer program_number, input integer root, input integer only);
        integer all;
        integer asked;
        integer got;
        integer start_place;
        integer at;
        integer u;
        integer w;
        reg is_up;
        reg [2:0] due;
        begin
            all = 0;
            for (u = 0; u < blocks; u = u + 1) begin
                for (w = 0; w < length(program_number, (blocks == 1) ? root : u, v); w = w + 1) begin
                    block_at[all] = u;
                    place_at[all] = w;
                    all = all + 1;
                end
            end
            waited = 0;
            while (all != 0 && !take_full[v]) patience;
            is_up = $random(chance);
            start_place = $unsigned($random(chance)) % ((all == 0) ? 1 : all);
            asked = 0;
            got = 0;
            due = 3'd0;
            while (got < all) begin
                take_en[v] = asked < all && $random(chance) % 4 != 0;
                at = (start_place + (is_up ? asked : all - asked)) % all;
                take_addr = { {%- if sizes.is_by_arrival() %}number_of(block_at[at]){% else %}code_of((blocks == 1) ? root : block_at[at]){% endif %}{% if sizes.word_place > 0 %}, place_of(place_at[at]){% endif -%} };
                if (blocks == 1 && !is_uneven(program_number)) begin
                    take_addr = take_addr | ({{ sizes.ram() }}'d{{ any_code }} << {{ sizes.word_place }});  // any block
                end
                if (take_en[v]) asked = asked + 1;
                take_free[v] = take_en[v] && asked == all && $random(chance) % 2 == 0;
                if (take_dest[v*{{ sizes.program }}+:{{ sizes.program }}] !== expected && !take_free[v] && asked < all) complain(v);
                due = {due[1:0], take_en[v]};
                @(negedge clk);
                if (take_free[v]) begin
                    if (take_full[v]) complain(v);
                    asked = asked + 1;
                end else if (asked <= all && !take_full[v]) begin
                    complain(v);
                end
                take_free[v] = 1'b0;
                if (take_valid[v] !== due[2]) complain(v);
                if (due[2]) begin
                    at = (start_place + (is_up ? got : all - got)) % all;
                    w = place_at[at];
{%- if sizes.has_blocks() %}
                    u = node_of(take_user[v*{{ sizes.code }}+:{{ sizes.code }}]);
                    if (blocks == 1) begin
                        if (u != only) complain(v);
                        u = 0;
                    end
{%- if sizes.is_by_arrival() %}
                    if (u >= NODES || (blocks > 1 && block_at[at] == 0 && u != v)) complain(v);
{%- else %}
                    if (u != block_at[at]) complain(v);
{%- endif %}
                    u = u % NODES;
{%- else %}
                    u = block_at[at];
{%- endif %}
                    fetched[u*LONGEST+w] = {WIDE{1'b0}};
                    fetched[u*LONGEST+w] = take_data[v*WIDTH+:WIDTH];
                    got = got + 1;
                end
            end
            take_en[v] = 1'b0;
            if (asked == all && all != 0) begin
                repeat ($unsigned($random(chance)) % 4) @(negedge clk);
                take_free[v] = 1'b1;
                if (!take_full[v]) complain(v);
                @(negedge clk);
                take_free[v] = 1'b0;
                if (take_full[v]) complain(v);
            end
        end
    endtask
{%- if sizes.word_place > 0 %}

    function [{{ sizes.word_place - 1 }}:0] place_of(input integer place);
        place_of = place[{{ sizes.word_place - 1 }}:0];
    endfunction
{%- endif %}
{%- if sizes.is_by_arrival() %}

    function [{{ sizes.code - 1 }}:0] number_of(input integer number);
        number_of = number[{{ sizes.code - 1 }}:0];
    endfunction
{%- endif %}
{%- else %}
    // Blocks come {% if sizes.lanes() > 1 %}word by word, with the words of a block in order{% else if sizes.is_by_arrival() %}whole, the node's own first{% else %}whole, in the order of the nodes{% endif %}.
    localparam integer LASTNODE = NODES - 1;
    localparam integer LANES = {{ sizes.lanes() }};
    integer filled [FIRST:LASTNODE];
    integer wanted [FIRST:LASTNODE];
    task fetch(input integer v, input integer blocks, input integer program_number, input integer root, input integer only);
        integer count;
        integer all;
        integer lane;
        integer u;
{%- if has_arrival_order() %}
        integer before;
{%- else if sizes.lanes() == 1 %}
        integer next;
{%- endif %}
        reg ends;
        begin
            all = 0;
            for (u = 0; u < NODES; u = u + 1) begin
                filled[u] = 0;
                wanted[u] = (u < blocks) ? length(program_number, (blocks == 1) ? root : u, v) : 0;
                all = all + wanted[u];
            end
            count = 0;
{%- if !has_arrival_order() && sizes.lanes() == 1 %}
            next = 0;
{%- endif %}
{%- if has_arrival_order() %}
            before = v;
{%- endif %}
            while (count < all) begin
                while ($random(chance) % 4 == 0) @(negedge clk);
                waited = 0;
                while (!take_valid[v]) patience;
                ends = 1'b1;
{%- if sizes.lanes() > 1 %}
                if (take_keep[v*LANES+:LANES] == {LANES{1'b0}}) complain(v);
{%- endif %}
                for (lane = 0; lane < LANES; lane = lane + 1) begin
{%- if sizes.lanes() > 1 %}
                    if (take_keep[v*LANES+lane]) begin
{%- else %}
                    begin
{%- endif %}
                        u = node_of(take_user[(v*LANES+lane)*{{ sizes.code }}+:{{ sizes.code }}]);
                        if (blocks == 1) begin
                            if (u != only) complain(v);
                            u = 0;
                        end
                        if (u >= blocks || filled[u%NODES] >= wanted[u%NODES]) begin
                            complain(v);
                            u = 0;
                        end else begin
                            fetched[u*LONGEST+filled[u]] = {WIDE{1'b0}};
                            fetched[u*LONGEST+filled[u]] = take_data[(v*LANES+lane)*WIDTH+:WIDTH];
                            filled[u] = filled[u] + 1;
                        end
{%- if has_arrival_order() %}
                        if (blocks > 1 && u != before && filled[before] != wanted[before]) complain(v);
                        before = u;
{%- else if sizes.lanes() == 1 %}
                        while (wanted[next] == 0 || (filled[next] == wanted[next] && next != u)) next = next + 1;
                        if (u != next) complain(v);
{%- endif %}
                        count = count + 1;
                        ends = ends & (filled[u] == wanted[u]);
                    end
                end
                if (take_dest[v*{{ sizes.program }}+:{{ sizes.program }}] !== expected || take_last[v] !== ends) complain(v);
                take_ready[v] = 1'b1;
                @(negedge clk);
                take_ready[v] = 1'b0;
            end
        end
    endtask
{%- endif %}