# {{ sources.generated }}
# The clock of {{ sources.top }}: {{ sources.clock }} Hz, as in the config. A design that drives the clock itself constrains it, not this file.
create_clock -name {{ sources.clock_port }} -period {{ sources.period }} [get_ports {{ sources.clock_port }}]
{%- if sources.is_uart %}
# Three registers follow the line in; nobody samples the line out by this clock.
set_false_path -from [get_ports rx]
set_false_path -to [get_ports tx]
{%- endif %}
