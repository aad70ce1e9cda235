module {{ module }};
    initial begin
        $dumpfile("{{ file }}");
        $dumpvars(0, {{ top }});
    end
endmodule

