{% if self.is_checked %}[WIDTH:0]{% else %}[WIDTH-1:0]{% endif %}
