//! A module is read, and what is not known refused.

use super::*;

const TEXT: &str = "
    `default_nettype none
    (* keep = \"yes\" *)
    module top #(
        parameter integer WIDTH = 8,  // bits; of a word
        parameter integer MORE = WIDTH
    ) (
        input  wire             clk,
        input  wire [WIDTH-1:0] a,
        output reg              done
    );
    wire [4:0] told;
    wire also = told[1] & (a == {WIDTH{1'b0}});
    always @(posedge clk) begin
        case (told) 5'd1: done <= 1'b1; default: done <= also; endcase
    end
    always @(posedge clk) if (also) done <= 1'b0; else done <= 1'b1;
    leaf #(.BITS(5)) leaf_0 (.clk(clk), .d({told[0], 4'd0}), .q(told));
    endmodule
    `default_nettype wire";

#[test]
fn ports_nets_and_instances_are_read_and_the_rest_is_kept() {
    let text = without_comments(TEXT);
    let module = Module::read(&text).unwrap();
    assert_eq!((module.name, module.ports.as_slice()), ("top", ["clk", "a", "done"].as_slice()));
    assert_eq!(module.parameters, [("WIDTH", "8"), ("MORE", "WIDTH")]);
    assert_eq!(module.inside, ["told"]);
    assert_eq!(module.nets["done"], Net { kind: "reg", range: "", direction: Some(Direction::Output) });
    let connections = vec![("clk", "clk"), ("d", "{told[0], 4'd0}"), ("q", "told")];
    let leaf = Instance { module: "leaf", name: "leaf_0", parameters: vec![("BITS", "5")], connections };
    assert_eq!(module.instances, [leaf]);
    assert_eq!(module.rest.len(), 3, "{:?}", module.rest);
    assert!(module.rest[2].ends_with("else done <= 1'b1;"), "{}", module.rest[2]);
    let values = module.values(&BTreeMap::from([("WIDTH", 16)])).unwrap();
    assert_eq!((values["MORE"], bits("[WIDTH-1:0]", &values)), (16, Some(16)));
}

#[test]
fn unknown_verilog_is_refused_with_its_line() {
    let refused = |from: &str, to: &str| {
        let text = without_comments(&TEXT.replace(from, to));
        Module::read(&text).map(|module| module.name.len()).unwrap_err().to_string()
    };
    assert_eq!(refused("always @(posedge clk) if", "initial if"), "line 17: `initial` is not read");
    assert_eq!(refused(".clk(clk)", "clk"), "line 18: `.` was expected, not `clk`");
    assert_eq!(
        refused("always @(posedge clk) if", "`ifdef FAST\nalways @(posedge clk) if"),
        "line 17: a name was expected, not ```"
    );
    assert_eq!(refused("endmodule", ""), "line 21: a name was expected, not `the end`");
    assert_eq!(refused("input  wire             clk", "input clk"), "line 8: `wire` or `reg` was expected, not `clk`");
}
