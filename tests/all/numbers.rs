//! Numbers that reductions combine: their arithmetic in software beside an independent one, and what a config may say of them.

use torusweave::check;
use torusweave::net::ShapeName;
use torusweave::program::{Arithmetic, Number, Operation, Program};

use crate::fixtures::command::Place;
use crate::fixtures::designs::design_on;
use crate::fixtures::floats;
use crate::fixtures::tools::{edited, equals_the_model, toolchain};

const FLOATS: [Number; 3] = [Number::F32, Number::Bf16, Number::F16];

/// Ten million pairs under `TORUSWEAVE_FULL`, else enough for all kinds of them.
pub fn cases() -> usize {
    if std::env::var_os("TORUSWEAVE_FULL").is_some() { 10_000_000 } else { 60_000 }
}

fn combined(arithmetic: Arithmetic, one: u32, other: u32) -> u32 {
    let mut value = [u64::from(one)];
    arithmetic.combine(arithmetic.number.width().unwrap(), &mut value, &[other.into()]);
    value[0] as u32
}

#[test]
fn sums_of_floats_equal_those_of_an_independent_reference() {
    for (number, flush) in FLOATS.into_iter().flat_map(|number| [false, true].map(|flush| (number, flush))) {
        let arithmetic = Arithmetic { operation: Operation::Sum, number, flush };
        let (mut subnormal, mut infinite, mut nan) = (0, 0, 0);
        for (one, other) in floats::pairs(number, cases(), 1) {
            let (ours, right) = (combined(arithmetic, one, other), floats::sum(number, one, other, flush));
            assert_eq!(ours, right, "{number}, flush {flush}: {one:x} + {other:x} is {right:x}, not {ours:x}");
            subnormal += usize::from(floats::is_subnormal(number, right));
            infinite += usize::from(floats::is_infinite(number, right));
            nan += usize::from(floats::is_nan(number, right));
        }
        println!(
            "{number}, flush {flush}: {} sums, of which {subnormal} subnormal, {infinite} infinite, {nan} NaN; none wrong",
            cases()
        );
        assert!((subnormal > cases() / 100) != flush && infinite > cases() / 100 && nan > cases() / 100);
    }
}

#[test]
fn the_larger_and_the_smaller_float_equal_those_of_an_independent_reference() {
    for number in FLOATS {
        for (operation, is_max) in [(Operation::Max, true), (Operation::Min, false)] {
            let arithmetic = Arithmetic { operation, number, flush: false };
            for (one, other) in floats::pairs(number, cases() / 2, 2) {
                let (ours, right) = (combined(arithmetic, one, other), floats::extreme(number, one, other, is_max));
                assert_eq!(ours, right, "{operation} of {number}: {one:x} and {other:x} is {right:x}, not {ours:x}");
                // in whatever order
                assert_eq!(combined(arithmetic, other, one), right);
            }
        }
    }
}

/// A value alone or combined with zero is unchanged, but for NaNs and flushed values.
#[test]
fn a_value_alone_is_what_it_is_with_negative_zero() {
    for (number, flush) in FLOATS.into_iter().flat_map(|number| [false, true].map(|flush| (number, flush))) {
        let arithmetic = Arithmetic { operation: Operation::Sum, number, flush };
        let minus_zero = 1 << (number.width().unwrap() - 1);
        for (one, _) in floats::pairs(number, 20_000, 3) {
            let mut alone = [u64::from(one)];
            arithmetic.settle(&mut alone);
            assert_eq!(alone[0] as u32, combined(arithmetic, one, minus_zero), "{number}: {one:x}");
            let mut all = vec![u64::from(one)];
            arithmetic.all(32, 1, &mut all);
            assert_eq!(all, alone);
        }
    }
}

/// 2^24 is a float of 32 bits that 1 is lost in, and 2 is not.
#[test]
fn several_values_are_combined_pairwise() {
    let arithmetic = Arithmetic { operation: Operation::Sum, number: Number::F32, flush: false };
    let all = |values: &[f32]| {
        let mut values = values.iter().map(|value| value.to_bits().into()).collect();
        arithmetic.all(32, 1, &mut values);
        values[0] as u32
    };
    let large = 16_777_216.0;
    let [same, more] = [large, large + 2.0].map(f32::to_bits);
    assert_eq!(all(&[large, 1.0, 1.0]), same, "(large + 1) + 1");
    assert_eq!(all(&[1.0, 1.0, large]), more, "(1 + 1) + large");
    assert_eq!(all(&[large, 0.0, 1.0, 1.0]), more, "(large + 0) + (1 + 1)");
    assert_eq!(all(&[large, 1.0, 0.0, 1.0]), same, "(large + 1) + (0 + 1)");
    assert_eq!(all(&[large, 0.0, 1.0, 0.0, 1.0]), same, "((large + 0) + (1 + 0)) + 1");
    assert_eq!(all(&[large, 0.0, 0.0, 0.0, 1.0, 1.0]), more, "((large + 0) + (0 + 0)) + (1 + 1)");
}

fn integers(operation: &str, collective: &str) -> Program {
    let settings = [format!("operation={operation}"), format!("collective={collective}"), "number=i32".into()];
    design_on(ShapeName::Torus, &[3, 4], &settings.each_ref().map(String::as_str)).program
}

#[test]
fn integers_with_a_sign_are_compared_with_it() {
    for operation in [Operation::Sum, Operation::Max, Operation::Min] {
        let arithmetic = Arithmetic { operation, number: Number::I32, flush: false };
        for (one, other) in floats::pairs(Number::F32, 20_000, 4) {
            let (a, b) = (one.cast_signed(), other.cast_signed());
            let right = match operation {
                Operation::Sum => a.wrapping_add(b),
                Operation::Max => a.max(b),
                _ => a.min(b),
            };
            assert_eq!(combined(arithmetic, one, other).cast_signed(), right, "{operation} of {a} and {b}");
        }
    }
}

#[test]
fn the_verilog_of_integers_with_a_sign_equals_the_model_and_without_one_does_not() {
    let Some(tools) = toolchain() else { return };
    for (operation, collective) in [("max", "all-reduce"), ("min", "reduce-scatter"), ("sum", "all-reduce")] {
        let settings = [format!("operation={operation}"), format!("collective={collective}"), "number=i32".into()];
        let design = design_on(ShapeName::Torus, &[3, 4], &settings.each_ref().map(String::as_str));
        equals_the_model(&tools, operation, &design.program, &design.options());
        if operation == "sum" {
            continue;
        }
        let unsigned = |_: &str, text: String| text.replace("$signed(", "(");
        let simulator = edited(&tools, &design.program, &design.options(), None, &unsigned).unwrap();
        assert!(simulator.play(7).unwrap().is_err(), "{operation} without a sign");
    }
}

/// A width that is said changes neither the design nor the command by which its files say that they were made.
#[test]
fn a_link_is_as_wide_as_the_number_unless_it_says_so() {
    let design = |settings: &[&str]| {
        design_on(ShapeName::Torus, &[3, 4], &[&["operation=max", "collective=all-reduce"], settings].concat())
    };
    for (number, bits) in [("word", 32), ("u32", 32), ("i32", 32), ("f32", 32), ("bf16", 16), ("f16", 16)] {
        let number = format!("number={number}");
        let (plain, said) = (design(&[&number]), design(&[&number, &format!("link.width={bits}")]));
        assert_eq!((plain.config.width(), plain.options().width), (bits, bits), "{number}");
        assert_eq!(plain.command(), said.command());
        assert!(!plain.command().contains("--width"), "{}", plain.command());
    }
    let words = design(&["link.width=16"]);
    assert!(words.config.width() == 16 && words.command().contains("--width 16"), "{}", words.command());
    let refused = Place::new().run("check --torus 3x4 --collective all-reduce --operation sum --number f16 --width 32");
    let said = "error: link.width: not supported with `number: f16` (32)\nhelp: leave `link.width` out: it is then the \
                number's, 32 or 16 bits\n";
    assert_eq!((refused.code, refused.stderr.as_str()), (2, said));
}

#[test]
fn a_program_says_what_its_numbers_are_and_is_read_back() {
    let program = integers("max", "all-reduce");
    let json = program.json();
    assert!(json.contains("\"torusweave-program/3\"") && json.contains("\"operation\": \"max\", \"number\": \"i32\","));
    assert_eq!(Program::from_json(&json).unwrap(), program);
    assert!(check::by_either(&program).passed());
    let other = |from: &str, to: &str| Program::from_json(&json.replace(from, to)).map_err(|error| error.to_string());
    assert_eq!(other("\"max\"", "\"xor\""), Err("number: values of i32 are not combined by xor".into()));
    assert_ne!(other("\"i32\"", "\"u32\""), Ok(program));
}
