# {{ sources.description }}, for Vivado: `source` this file, from any folder
#
# Synthesis without a project: `synth_design -top {{ sources.top }} -part PART`, after this.
{%- if sources.is_axi %}
# For block designs: component.xml describes the AXI4-Lite interface; add this folder to `ip_repo_paths`.
{%- endif %}
# {{ sources.generated }}
set torusweave_folder [file dirname [file normalize [info script]]]
foreach torusweave_file {
{%- for path in sources.rtl %}
    {{ path }}
{%- endfor %}
} {
    read_verilog [file join $torusweave_folder $torusweave_file]
}
read_xdc [file join $torusweave_folder {{ sources.name }}.xdc]
