//! Names that Verilog accepts for modules.

use super::ConfigError;

/// Accepts Verilog identifiers that are not keywords.
pub(super) fn check(name: &str) -> Result<(), ConfigError> {
    if is_keyword(name) {
        return Err(ConfigError::Keyword { name: name.into() });
    }
    let letters = name.chars().count();
    if letters > MOST_LETTERS {
        let start = name.chars().take(12).collect();
        return Err(ConfigError::LongName { start, letters, most: MOST_LETTERS });
    }
    let nearest = nearest(name);
    if nearest == name { Ok(()) } else { Err(ConfigError::NotAnIdentifier { name: name.into(), nearest }) }
}

/// The name itself if it is an identifier, else what it becomes when everything is replaced that no identifier has.
fn nearest(name: &str) -> String {
    let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let only_blanks = name.chars().all(|c| c == '_');
    if is_keyword(&name) {
        format!("{name}_net")
    } else if name.starts_with(|c: char| c.is_ascii_digit()) {
        format!("torus_{name}")
    } else if only_blanks {
        "torus".to_owned()
    } else {
        name
    }
}

/// File names have limits too.
const MOST_LETTERS: usize = 128;

fn is_keyword(name: &str) -> bool {
    KEYWORDS.split_whitespace().any(|keyword| keyword == name)
}

/// The keywords of Verilog-2005 and, as the files are often compiled along with it, of SystemVerilog-2017.
const KEYWORDS: &str = "
    accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before begin bind
    bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class clocking cmos config
    const constraint context continue cover covergroup coverpoint cross deassign default defparam design disable
    dist do edge else end endcase endchecker endclass endclocking endconfig endfunction endgenerate endgroup
    endinterface endmodule endpackage endprimitive endprogram endproperty endsequence endspecify endtable endtask
    enum event eventually expect export extends extern final first_match for force foreach forever fork forkjoin
    function generate genvar global highz0 highz1 if iff ifnone ignore_bins illegal_bins implements implies import
    incdir include initial inout input inside instance int integer interconnect interface intersect join join_any
    join_none large let liblist library local localparam logic longint macromodule matches medium modport module
    nand negedge nettype new nexttime nmos nor noshowcancelled not notif0 notif1 null or output package packed
    parameter pmos posedge primitive priority program property protected pull0 pull1 pulldown pullup
    pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos real realtime ref reg
    reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always s_eventually s_nexttime
    s_until s_until_with scalared sequence shortint shortreal showcancelled signed small soft solve specify
    specparam static string strong strong0 strong1 struct super supply0 supply1 sync_accept_on sync_reject_on table
    tagged task this throughout time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior trireg
    type typedef union unique unique0 unsigned until until_with untyped use uwire var vectored virtual void wait
    wait_order wand weak weak0 weak1 while wildcard wire with within wor xnor xor
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_pass_and_others_get_the_nearest_one() {
        assert!(check("torus_6x8").is_ok());
        for (name, expected) in [
            ("torus-6x8", "torus_6x8"),
            ("6x8", "torus_6x8"),
            ("", "torus"),
            ("a b", "a_b"),
            ("é", "torus"),
            ("1-", "torus_1_"),
            ("first match", "first_match_net"),
        ] {
            match check(name) {
                Err(ConfigError::NotAnIdentifier { nearest, .. }) => assert_eq!(nearest, expected),
                other => panic!("{name}: {other:?}"),
            }
        }
        for name in ["_x", "a1", &"a".repeat(MOST_LETTERS)] {
            assert!(check(name).is_ok(), "{name}");
        }
        assert!(matches!(check(&"a".repeat(MOST_LETTERS + 1)), Err(ConfigError::LongName { .. })));
        assert!(matches!(check("module"), Err(ConfigError::Keyword { .. })));
    }

    #[test]
    fn keywords_are_sorted_so_that_a_missing_one_is_seen() {
        assert!(KEYWORDS.split_whitespace().is_sorted());
    }
}
