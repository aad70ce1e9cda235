#!/bin/sh
# {{ module }} for {{ device }}{% for board in board %} on the {{ board }}{% endfor %}: synthesis, place and route, bitstream
set -eu
cd "$(dirname "$0")"
# names in the Python packages
{%- for (tool, wheel) in tools %}
command -v {{ tool }} >/dev/null || alias {{ tool }}={{ wheel }}
{%- endfor %}
yosys -q -s synth.ys
{{ place }} --report report.json
{{ pack }}
