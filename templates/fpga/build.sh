#!/bin/sh
# {{ module }} for {{ device }}{% for board in board %} on the {{ board }}{% endfor %}: synthesis, place and route, bitstream
set -eu
cd "$(dirname "$0")"
yosys -q -s synth.ys
{{ place }} --report report.json
{{ pack }}
