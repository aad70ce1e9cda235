{{ self.0.name }}
{%- if self.0.word -%}
[WIDTH-1:0]
{%- else if !self.0.own -%}
_data
{%- if let Some(stage) = self.0.stage -%}
{{ stage.words }}
{%- endif -%}
{%- endif %}
