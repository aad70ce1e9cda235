# {{ sources.description }}, for Vivado: `source` this file, from any folder
# {{ sources.generated }}
{%- if let Some(host) = sources.host %}
#
# Synthesis without a project: `synth_design -top {{ sources.whole }} -part PART`, after this.
{%- if host.is_axi %}
# For block designs: component.xml describes the AXI4-Lite interface; add this folder to `ip_repo_paths`.
{%- endif %}
{%- endif %}
set torusweave_folder [file dirname [file normalize [info script]]]
foreach torusweave_file {
{%- for path in sources.modules() %}
    {{ path }}
{%- endfor %}
} {
    read_verilog [file join $torusweave_folder $torusweave_file]
}
{%- if sources.host.is_some() %}
read_xdc [file join $torusweave_folder {{ sources.name }}.xdc]
{%- endif %}
