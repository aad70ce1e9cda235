    // go is high for one clock per tick
    reg hold;
    reg {{ count.range }}played;
    reg last;
    reg over;
    reg go;

    always @(posedge clk) begin
        hold <= rst | ~run;
        played <= hold ? {{ count.bits }}'d0 : played + {{ count.bits }}'d1;
        last <= ~hold & (played == {% match last_count %}{% when Some(name) %}{{ name }}{% when None %}{{ count.bits }}'d{{ last }}{% endmatch %});
        over <= ~hold & (over | last);
        go <= ~(hold | last | over);
    end

    // done rises with the last arrivals, after the same delay from the control
    reg [{{ way - 2 }}:0] ending;

    always @(posedge clk) begin
        {done, ending} <= hold ? {{ way }}'d0 : {ending, over};
    end
{%- if flit.is_some() || streams || long %}

    // high while the routers play
    reg [{{ playing }}:0] playing;

    always @(posedge clk) begin
        playing <= hold ? {{ playing + 1 }}'d0 : {playing[{{ playing - 1 }}:0], go};
    end
{%- endif %}
{%- for flit in flit %}

    // flit of their packets that the nodes inject
    wire turn = ~playing[{{ playing }}] | (flit == {{ flit.bits }}'d{{ flit.last }});

    always @(posedge clk) begin
        flit <= (hold | turn) ? {{ flit.bits }}'d0 : flit + {{ flit.bits }}'d1;
    end
{%- endfor %}
{%- for control in controls %}

    wire {{ control.range }}word_{{ control.class }};

    {{ control.module }} control_{{ control.class }} (
        .clk(clk),
{%- if ce %}
        .ce(1'b1),
{%- endif %}
        .go(go),
        .word(word_{{ control.class }})
    );
{%- endfor %}
