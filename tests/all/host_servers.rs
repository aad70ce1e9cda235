//! Servers of designs against clients that come and go, folders of somebody else, and bytes without end.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::fixtures::called::{HALVES, SMALL, can_call, generated, script, served};
use crate::fixtures::command::{Ended, Place};
use crate::fixtures::tools::toolchain;

fn calls(place: &Place, at: &str) -> Ended {
    script(place, "collectives.py", &[at, "calls", "20"])
}

fn addresses(at: &str) -> Vec<String> {
    at.split(',').map(|one| one.strip_prefix("tcp:").unwrap().to_owned()).collect()
}

#[test]
#[cfg(unix)]
fn connections_that_are_opened_and_closed_disable_no_server() {
    if !can_call() {
        return;
    }
    for (config, boards) in [(HALVES, 2), (SMALL, 1)] {
        let place = generated(config);
        let (_server, at) = served(&place, "tcp:0 --folder calls", boards);
        for address in addresses(&at) {
            for _ in 0..3 {
                drop(TcpStream::connect(&address).unwrap());
            }
            let mut stream = TcpStream::connect(&address).unwrap();
            stream.write_all(b"GET / HTTP/1.0\r\n\r\n").unwrap();
            drop(stream);
        }
        // one who waits for nothing, on the first board alone
        let _idle = (boards > 1).then(|| TcpStream::connect(&addresses(&at)[0]).unwrap());
        let ended = calls(&place, &at);
        assert_eq!(ended.code, 0, "{boards}: {}", ended.stderr);
    }
}

#[test]
#[cfg(unix)]
fn a_second_client_is_sent_away_and_a_later_one_served() {
    if !can_call() {
        return;
    }
    for (config, boards) in [(SMALL, 1), (HALVES, 2)] {
        let place = generated(config);
        let (_server, at) = served(&place, "tcp:0 --folder calls", boards);
        let first: Vec<TcpStream> = addresses(&at).iter().map(|one| TcpStream::connect(one).unwrap()).collect();
        // the session has begun when the simulation answers
        for mut stream in &first {
            let read_id = [2, 1, 0, 0, 0, 0];
            stream.write_all(&read_id).unwrap();
            let mut id = [0; 4];
            stream.read_exact(&mut id).unwrap();
            assert_eq!(id, *b"TWCE");
        }
        let began = Instant::now();
        let ended = calls(&place, &at);
        assert!(ended.stderr.contains("a port has one client at a time"), "{}", ended.stderr);
        assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
        drop(first);
        let ended = calls(&place, &at);
        assert_eq!(ended.code, 0, "{boards}: {}", ended.stderr);
    }
}

/// Memory of a process and its children, in bytes.
#[cfg(target_os = "linux")]
fn memory(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let own = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse().ok());
    let children = fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default();
    let each = children.split_whitespace().map(|child| memory(child.parse().unwrap()));
    1024 * own.unwrap_or(0) + each.sum::<u64>()
}

/// A board that waits for the other one, which never starts.
#[test]
#[cfg(target_os = "linux")]
fn bytes_for_a_board_that_waits_are_kept_to_a_bound() {
    if !can_call() {
        return;
    }
    let place = generated(HALVES);
    let (server, at) = served(&place, "tcp:0 --folder calls", 2);
    let [mut first, second] = [0, 1].map(|board| TcpStream::connect(&addresses(&at)[board]).unwrap());
    // a header with nobody to take the words behind it
    let blocked = [3, 255, 0, 0, 0, 17].into_iter().chain(std::iter::repeat_n(0x11, 1020));
    first.set_write_timeout(Some(Duration::from_secs(2))).unwrap();
    let chunk: Vec<u8> = blocked.collect::<Vec<u8>>().repeat(64);
    let mut sent = 0;
    while sent < 200 << 20 {
        match first.write(&chunk) {
            Ok(bytes) => sent += bytes,
            Err(_) => break,
        }
    }
    assert!(memory(server.id()) < 64 << 20, "{} bytes after {sent} were sent", memory(server.id()));
    drop((first, second));
    let ended = calls(&place, &at);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
}

#[test]
#[cfg(target_os = "linux")]
fn a_simulation_that_is_killed_is_no_success() {
    if !can_call() {
        return;
    }
    let place = generated(SMALL);
    let mut command = place.command();
    command.args(["simulate", "--serve", "stdio", "--folder", "calls"]);
    let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    input.write_all(&[2, 1, 0, 0, 0, 0]).unwrap();
    server.stdout.as_mut().unwrap().read_exact(&mut [0; 4]).unwrap();
    let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", server.id())).unwrap();
    Command::new("kill").args(["-9", children.trim()]).status().unwrap();
    let ended = Ended::from(server.wait_with_output().unwrap());
    assert_eq!((ended.code, ended.stderr.contains("the simulation ended: signal: 9")), (1, true), "{}", ended.stderr);
    drop(input);
    // the end of the line is none
    let mut command = place.command();
    command.args(["simulate", "--serve", "stdio", "--folder", "calls"]).stdin(Stdio::null());
    assert_eq!(Ended::from(command.output().unwrap()).code, 0);
}

/// Changes a file of a design, and says what serving it prints.
fn changed(place: &Place, path: &str, change: impl Fn(&str) -> String, more: &str) -> Ended {
    let path = place.path().join("calls").join(path);
    let right = fs::read_to_string(&path).unwrap();
    fs::write(&path, change(&right)).unwrap();
    let mut command = place.command();
    command.args(["simulate", "--serve", "stdio", "--folder", "calls"]).args(more.split_whitespace());
    let ended = Ended::from(command.stdin(Stdio::null()).output().unwrap());
    fs::write(&path, right).unwrap();
    ended
}

#[test]
#[cfg(unix)]
fn a_folder_of_somebody_else_runs_no_program_and_reads_no_file() {
    let place = generated(SMALL);
    let into = |line: &'static str| move |text: &str| text.replacen("endmodule", &format!("{line}\nendmodule"), 1);
    for line in [
        "initial $system(\"touch owned\");",
        "initial $c(\"abort();\");",
        "initial $readmemh(\"/etc/passwd\", memory);",
        "`include \"/etc/passwd\"",
        "import \"DPI-C\" function void abort();",
        "/*verilator public*/",
    ] {
        let ended = changed(&place, "calls_node.v", into(line), "");
        assert!(ended.code == 2 && ended.stderr.contains("calls_node.v`: `"), "{line}: {}", ended.stderr);
        assert!(ended.stderr.contains("--trust"), "{}", ended.stderr);
    }
    for path in ["/dev/zero", "../calls.yaml", "calls_node.v -CFLAGS", "a;touch owned.v", "/etc/passwd", "fifo"] {
        let ended = changed(&place, "calls.f", |text| format!("{text}{path}\n"), "--trust");
        assert!(ended.code == 2 && ended.stderr.contains("no Verilog of its folder"), "{path}: {}", ended.stderr);
    }
    // a pipe that nobody writes
    fs::remove_file(place.path().join("calls/calls_node.v")).unwrap();
    Command::new("mkfifo").arg(place.path().join("calls/calls_node.v")).status().unwrap();
    let ended = place.run("simulate --serve stdio --folder calls");
    assert!(ended.code == 2 && ended.stderr.contains("is not a file"), "{}", ended.stderr);
    fs::rename(place.path().join("calls/calls_programs.json"), place.path().join("calls/a b_programs.json")).unwrap();
    let ended = place.run("simulate --serve stdio --folder calls");
    assert!(ended.code == 2 && ended.stderr.contains("must have one design (has a b)"), "{}", ended.stderr);
    assert!(!Path::new("owned").exists() && !place.path().join("owned").exists());
}

#[test]
#[cfg(unix)]
fn verilog_that_was_edited_is_served_and_with_trust_whatever_it_holds() {
    if toolchain().is_none() {
        return;
    }
    let place = generated(SMALL);
    let comment = |text: &str| text.replacen("endmodule", "wire [31:0] two = 32'd2;\nendmodule", 1);
    let ended = changed(&place, "calls_node.v", comment, "");
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let owned = place.path().join("owned").display().to_string();
    let call = |text: &str| text.replacen("endmodule", &format!("initial $system(\"touch {owned}\");\nendmodule"), 1);
    let ended = changed(&place, "calls_node.v", call, "--trust");
    assert!(ended.code == 0 && place.path().join("owned").exists(), "{}", ended.stderr);
}

#[test]
fn designs_that_are_too_large_are_refused_before_they_are_built() {
    let place = Place::new();
    for (settings, words) in [
        ("topology: { torus: [256, 256] }, programs: [{ collective: gossip }]", "entries are more than the 4194304"),
        (
            "topology: { torus: [40, 40] }, programs: [{ collective: exchange }, { collective: gossip }]",
            "entries are more than",
        ),
        (
            "topology: { torus: [2, 2] }, link: { flits: 65535 }, programs: [{ collective: exchange, flits: 4000000 }]",
            "",
        ),
        (
            "topology: { torus: [256, 256] }, host: { bus: streams }, programs: [{ collective: broadcast, root: any, flits: 16 }]",
            "registers in all ticks are more than",
        ),
        (
            "topology: { torus: [256, 256] }, programs: [{ collective: broadcast, root: any, flits: 16 }]",
            "host: 65536 nodes are more than the 4096 that it counts",
        ),
        (
            "topology: { torus: [2, 2] }, programs: [{ collective: all-reduce, operation: sum, flits: 16384 }]",
            "host: 65536 words of a node are more than the 65535 that it counts",
        ),
    ] {
        place.write("calls.yaml", format!("{{ {settings} }}"));
        let began = Instant::now();
        let ended = place.run("generate calls.yaml --dry-run");
        assert!(ended.code == 2 && ended.stderr.contains(words), "{settings}: {}{}", ended.stdout, ended.stderr);
        assert!(began.elapsed() < Duration::from_secs(30), "{settings}: {:?}", began.elapsed());
    }
}

#[test]
fn the_time_of_long_packets_grows_with_their_length_and_not_with_its_square() {
    let place = Place::new();
    let time = |flits: u32| {
        place.write(
            "calls.yaml",
            format!("{{ name: calls, topology: {{ torus: [2, 2] }}, link: {{ width: 8, flits: {flits} }}, host: {{ bus: streams }}, programs: [{{ collective: all-reduce, operation: sum }}] }}"),
        );
        let began = Instant::now();
        let ended = place.run("generate calls.yaml --out calls --force");
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        began.elapsed()
    };
    let (short, long) = (time(2048), time(16384));
    assert!(long < 30 * short.max(Duration::from_millis(200)), "{short:?} {long:?}");
}
