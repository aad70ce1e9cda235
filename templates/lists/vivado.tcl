# {{ sources.description }}, for Vivado: `source` this file, from any folder
# {{ sources.generated }}
set torusweave_folder [file dirname [file normalize [info script]]]
foreach torusweave_file {
{%- for path in sources.modules() %}
    {{ path }}
{%- endfor %}
} {
    read_verilog [file join $torusweave_folder $torusweave_file]
}
