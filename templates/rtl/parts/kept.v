{% if self.is_checked %}{ {{- self.place.valid }}, {{ self.place.data }}}{% else %}{{ self.place.data }}{% endif %}
