{% if self.0.own -%}
1'b1
{%- else if self.0.word -%}
{{ self.0.name }}[WIDTH]
{%- else -%}
{{ self.0.name }}_valid
{%- if let Some(stage) = self.0.stage -%}
{%- if stage.is_one_bit -%}
[{{ stage.index }}]
{%- endif -%}
{%- endif -%}
{%- endif %}