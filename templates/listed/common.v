{%- if sizes.has_track_banks() %}
    // banks of control words: of the program that is placed, and of the one that plays
    input  wire {{ sizes.track_number() }}put_bank,
    input  wire {{ sizes.track_number() }}track_bank,
{%- endif %}
{%- if sizes.has_calls() %}
    // last placed program plays next; words of the one that played go out
    input  wire play_kept,
    input  wire out_kept,
{%- endif %}
    // records of the program, and the root from which its position is counted
    input  wire put,
    input  wire put_all,
    input  wire [{{ sizes.code - 1 }}:0] put_position,
    input  wire put_header,
    input  wire [{{ sizes.number - 1 }}:0] put_number,
    input  wire [{{ sizes.data - 1 }}:0] put_data,
{%- if sizes.has_blocks() %}
    input  wire [{{ sizes.code - 1 }}:0] put_root,
{%- endif %}
    input  wire [{{ sizes.code - 1 }}:0] origin,
    // control
    input  wire begins,
    input  wire plays,
    input  wire [{{ sizes.tick - 1 }}:0] tick,
    input  wire [{{ sizes.word - 1 }}:0] shared,
{%- if !sizes.is_one %}
    input  wire in_first,  // words come in anew
{%- endif %}
