# {{ generated }}
# The clock of {{ top }}: {{ clock }} Hz, as in the config. A design that drives the clock itself constrains it, not this file.
create_clock -name {{ clock_port }} -period {{ period }} [get_ports {{ clock_port }}]
{%- if is_uart %}
# Three registers follow the line in; nobody samples the line out by this clock.
set_false_path -from [get_ports rx]
set_false_path -to [get_ports tx]
{%- endif %}
