//! The command line as shells, `man` and browsers see it.

use std::collections::HashMap;
use std::fs;
use std::process::Command;

use torusweave::cli;
use torusweave::emit::vcd::Waveform;
use torusweave::paths::supply::Switching;
use torusweave::play::{Machine, Payloads};
use torusweave::schemes::zigzag::Zigzag;
use torusweave::tools::ScratchFolder;

use crate::fixtures::command::TORUSWEAVE;
use crate::fixtures::designs::woven;
use crate::fixtures::tools::has;

fn says(arguments: &[&str]) -> String {
    let output = Command::new(TORUSWEAVE).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn commands() -> Vec<String> {
    cli::command().get_subcommands().map(|command| command.get_name().to_owned()).collect()
}

#[test]
fn bash_completes_every_command() {
    if !has("bash") {
        return;
    }
    let script = "source <(\"$0\" completions bash); COMP_WORDS=(torusweave ''); COMP_CWORD=1; \
                  _torusweave torusweave '' torusweave; echo \"${COMPREPLY[@]}\"";
    let output = Command::new("bash").args(["--norc", "-c", script, TORUSWEAVE]).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let offered = String::from_utf8(output.stdout).unwrap();
    for command in commands() {
        assert!(offered.split_whitespace().any(|word| word == command), "{command} is not in {offered}");
    }
}

#[test]
fn every_shell_has_completions_of_every_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = says(&["completions", shell]);
        for command in commands() {
            assert!(script.contains(&command), "{shell}: {command}");
        }
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let scratch = ScratchFolder::new().unwrap();
    says(&["man", scratch.path().to_str().unwrap()]);
    let main = says(&["man"]);
    assert_eq!(main, fs::read_to_string(scratch.path().join("torusweave.1")).unwrap());
    for command in commands() {
        let page = fs::read_to_string(scratch.path().join(format!("torusweave-{command}.1"))).unwrap();
        assert!(page.contains(".SH OPTIONS"), "{command}:\n{page}");
        assert!(main.contains(&format!("torusweave\\-{command}(1)")), "{command} is not in:\n{main}");
    }
}

#[test]
fn a_report_links_to_the_files_that_generate_writes() {
    let scratch = ScratchFolder::new().unwrap();
    let path = |name: &str| scratch.path().join(name).to_str().unwrap().to_owned();
    says(&["generate", "--torus", "4x4", "--out", &path("torus_4x4")]);
    says(&["report", "--torus", "4x4", "--output", &path("report.html")]);
    let page = fs::read_to_string(path("report.html")).unwrap();
    let links: Vec<&str> = page.split("<li><a href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert!(links.contains(&"torus_4x4/torus_4x4.v"), "{links:?}");
    for link in links {
        assert!(scratch.path().join(link).is_file(), "{link}");
    }
}

#[test]
fn the_model_records_every_register_of_every_tick() {
    let scratch = ScratchFolder::new().unwrap();
    let wave = scratch.path().join("run.vcd");
    says(&["simulate", "--torus", "4x4", "--vcd", wave.to_str().unwrap()]);
    let wave = fs::read_to_string(wave).unwrap();
    assert_eq!(wave.matches("_out_valid $end").count(), 64);
    // every register is invalid at first, becomes valid once, and then changes its packet in each of 8 ticks
    assert_eq!(wave.lines().filter(|line| line.starts_with("0v")).count(), 64);
    assert_eq!(wave.lines().filter(|line| line.starts_with("1v")).count(), 64 * 8);
}

/// The wave is read as a viewer does, and the model asked what each register holds in each tick.
#[test]
fn the_wave_tells_who_sent_what_a_register_holds() {
    let program = woven(&[4, 6], &Zigzag, Switching::Memory).stretched(2).unwrap();
    let payloads = Payloads { width: 8, seed: 1 };
    let (mut wave, mut machine) = (Waveform::new(Vec::new(), &program, payloads).unwrap(), Machine::new(&program));
    while !machine.is_done() {
        machine.step();
        wave.tick(&machine).unwrap();
    }
    let text = String::from_utf8(wave.finish().unwrap()).unwrap();
    let (mut machine, mut values) = (Machine::new(&program), HashMap::new());
    let (mut rises, mut compared) = (0, 0);
    for line in text.split_once("$enddefinitions $end\n").unwrap().1.lines() {
        if line == "0clk" && rises > 0 {
            // whatever changed with the clock has
            machine.step();
            assert_eq!(values["tick"], Some(machine.tick()));
            for register in 0..program.registers() {
                let Some(&valid) = values.get(&format!("v{register}")) else { continue };
                let held = machine.register(register).map(|flit| program.demand.origin(flit));
                assert_eq!(valid, Some(u32::from(held.is_some())));
                assert_eq!(values[&format!("o{register}")], held.map(|origin| origin.node.0));
                assert_eq!(values[&format!("p{register}")], held.map(|origin| origin.packet));
                compared += 1;
            }
        } else if let Some((bits, name)) = line.strip_prefix('b').and_then(|line| line.split_once(' ')) {
            values.insert(name.to_owned(), u32::from_str_radix(bits, 2).ok());
        } else if !line.starts_with('#') {
            rises += u32::from(line == "1clk");
            values.insert(line[1..].to_owned(), line[..1].parse().ok());
        }
    }
    assert!(machine.is_done() && rises == program.ticks && compared > 24 * program.ticks);
}
