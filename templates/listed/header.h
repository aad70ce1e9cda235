/* Registers and programs of the design {{ name }}.
{%- for line in notes %}
 * {{ line }}
{%- endfor %}
 */
#ifndef {{ guard }}_H
#define {{ guard }}_H

#define {{ guard }}_DESIGN_HASH 0x{{ hash }}u /* what the register HASH has to say */
#define {{ guard }}_NODES {{ nodes }}
#define {{ guard }}_WIDTH {{ width }}

/* Registers, by byte offset. */
{%- for register in registers %}
#define {{ guard }}_{{ register.name }} 0x{{ "{:02x}"|format(register.word * 4) }} /* {{ register.about }} */
{%- endfor %}

/* Programs. */
{%- for program in programs %}
#define {{ guard }}_PROGRAM_{{ program.number }} {{ program.number }} /* {{ program.collective }}, {% if program.lengths.is_some() %}up to {% endif %}{{ program.words }} words per block */
{%- endfor %}
{%- for programs in together %}
#define {{ guard }}_PROGRAM_{{ programs.number }} {{ programs.number }} /* {{ programs }} */
{%- endfor %}

/* Error codes of STATUS. */
{%- for code in codes %}
#define {{ guard }}_ERROR_{{ code.name }} {{ code.number }} /* {{ code.about }} */
{%- endfor %}

/* Headers of the ring: operation, node, number of words. */
#define {{ guard }}_RING(operation, node, count) ((operation) << 28 | (node) << 16 | (count))
#define {{ guard }}_RING_END 0
#define {{ guard }}_RING_SCATTER 1
#define {{ guard }}_RING_WRITE 2
#define {{ guard }}_RING_COLLECT 3
#define {{ guard }}_RING_READ 4
#define {{ guard }}_RING_COPY 5

#endif
