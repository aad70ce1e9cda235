//! The page in a browser: headless Chromium plays the program, and what it shows is compared with the model.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};
use torusweave::check;
use torusweave::design::Design;
use torusweave::design::config::Config;
use torusweave::draw::{self, report};
use torusweave::net::{NodeId, ShapeName, Topology};
use torusweave::paths::cover::Cover;
use torusweave::play::{Combiner, Knowledge, Machine, Payloads};
use torusweave::program::Program;
use torusweave::schemes::hamiltonian::Hamiltonian;

use crate::fixtures::browser::{Visit, between, doms};
use crate::fixtures::command::{examples_that_move, project};
use crate::fixtures::designs::{along_a_path, design, round_the_border};

fn page(design: &Design) -> String {
    report::page(design, &check::by_execution(&design.program), &[], "files")
}

fn example(name: &str) -> Design {
    Design::new(Config::read(&project().join(format!("examples/{name}.yaml"))).unwrap()).unwrap()
}

/// A program made by hand, as if a scheme had woven it.
fn by_hand(program: Program, cover: Option<Cover>) -> Design {
    let topology = &program.topology;
    Design {
        config: Config::of(topology.shape().expect("a common network"), topology.dims().to_vec()),
        scheme: &Hamiltonian,
        program,
        cover: cover.into(),
        reason: None,
        schedule: None,
        groups: Vec::new(),
        listed: None,
    }
}

/// Number of packets each node knows after a tick, by the model.
fn known(program: &Program, tick: u32) -> Vec<u64> {
    let mut machine = Machine::new(program);
    let mut knowledge = Knowledge::new(program);
    while machine.tick() < tick {
        machine.step();
        for (node, _, flit) in machine.arrivals() {
            knowledge.learn(node, flit);
        }
    }
    program.topology.node_ids().map(|node| knowledge.count(node)).collect()
}

/// The program whose ticks the page counts: that of whole packets where there is one and they are all alike.
fn played(design: &Design, page: &str) -> Program {
    let ticks: u32 = between(page, "id=\"tick\" min=\"0\" max=\"", "\"").parse().unwrap();
    let whole = design.program.unstretched().filter(|whole| whole.ticks == ticks);
    let program = whole.unwrap_or_else(|| design.program.clone());
    assert_eq!(program.ticks, ticks);
    program
}

/// Goes to each tick and takes notes of what the page says.
const NOTE_TICKS: &str = "
    const state = document.getElementById('state');
    for (const tick of TICKS) {
        location.hash = `tick=${tick}&table`;
        dispatchEvent(new HashChangeEvent('hashchange'));
        while (state.dataset.tick !== String(tick)) await new Promise((go) => setTimeout(go));
        const cells = [...document.querySelectorAll('#known td')].map((cell) => cell.textContent);
        const seen = document.body.appendChild(document.createElement('pre'));
        seen.className = 'seen';
        seen.textContent = [tick, state.dataset.complete, ...cells].join(' ');
    }";

/// Plays the page's film once more and takes notes of what arrives at every input in every tick, counted from 1.
const NOTE_ARRIVALS: &str = "
    const [part] = new Player(JSON.parse(document.getElementById('program').textContent)).parts;
    const inputs = [...Array(part.topology.nodes * part.outputs).keys()];
    while (part.now.tick < part.ticks) {
        part.step();
        const arrived = inputs.map((i) => part.arrived(Math.floor(i / part.outputs), i % part.outputs) + 1);
        const seen = document.body.appendChild(document.createElement('pre'));
        seen.className = 'seen';
        seen.textContent = arrived.join(' ');
    }";

/// For each tick visited: the tick, how many nodes know everything, and how much each node knows. Then for every tick what
/// arrives, at every input; 0 is nothing.
type Notes = Vec<Vec<u64>>;

/// The ticks that a page is sent to: forward, back, and forward again.
fn ticks(program: &Program) -> [u32; 8] {
    let last = program.ticks;
    [last / 2, 0, 1, last, last / 3, last / 3 + 1, last - 1, last]
}

/// Notes that pages make at some ticks and the model's expectations, for each design with its page.
fn noted(designs: &[(Design, String)]) -> Option<Vec<(Notes, Notes)>> {
    let programs: Vec<Program> = designs.iter().map(|(design, page)| played(design, page)).collect();
    let script = |program| NOTE_TICKS.replace("TICKS", &format!("{:?}", ticks(program))) + NOTE_ARRIVALS;
    let scripts: Vec<String> = programs.iter().map(script).collect();
    let visits = designs.iter().zip(&scripts).map(|((_, page), script)| Visit { page, hash: "", script });
    let doms = doms(&visits.collect::<Vec<_>>())?;
    let noted = |dom: &String| dom.split("<pre class=\"seen\">").skip(1).map(numbers).collect();
    Some(doms.iter().map(noted).zip(programs.iter().map(by_the_model)).collect())
}

fn by_the_model(program: &Program) -> Notes {
    let known_before = known(program, 0);
    let at_ticks = ticks(program).map(|tick| {
        let known = known(program, tick);
        let goals = program.demand.goals(&program.topology);
        let live = |node: &NodeId| program.topology.is_live(*node);
        let all = program.topology.node_ids().zip(known.iter().zip(goals)).filter(|(node, _)| live(node));
        let complete = all.filter(|&(_, (&count, goal))| count == goal).count();
        // initial packets are shown where every node wants everything
        let own = known_before.iter().filter(|_| !program.demand.is_for_all()).chain(std::iter::repeat(&0));
        let shown = known.iter().zip(own).map(|(count, own)| count - own).collect();
        [vec![tick.into(), complete as u64], shown].concat()
    });
    let mut machine = Machine::new(program);
    let inputs = || program.topology.node_ids().flat_map(|node| program.channels().map(move |input| (node, input)));
    let arrivals = (0..program.ticks).map(|_| {
        machine.step();
        let number = |(node, input)| machine.arrival(node, input).map_or(0, |flit| u64::from(flit.0) + 1);
        inputs().map(number).collect()
    });
    at_ticks.into_iter().chain(arrivals).collect()
}

/// Plays both parts of a reduction and takes notes, tick by tick: nodes that are complete, the sum of what nodes have, and what
/// arrives at every input, counted from 1.
const NOTE_PARTS: &str = "
    const program = JSON.parse(document.getElementById('program').textContent);
    const player = new Player(program);
    for (let tick = 1; tick <= program.ticks; tick++) {
        player.seek(tick, Infinity);
        const { part } = player;
        const inputs = [...Array(part.topology.nodes * part.outputs).keys()];
        const arrived = inputs.map((i) => part.arrived(Math.floor(i / part.outputs), i % part.outputs) + 1);
        const seen = document.body.appendChild(document.createElement('pre'));
        seen.className = 'seen';
        seen.textContent = [part.now.complete, part.now.sum, ...arrived].join(' ');
    }";

/// Expected notes of a reduction, by the model of values and by the model of packets.
fn parts_by_the_model(program: &Program) -> Notes {
    let mut combiner = Combiner::new(program, Payloads { width: 32, seed: 1 }).unwrap();
    let nodes = program.topology.live_ids().count() as u64;
    let values =
        |node| program.results_of(node).count() as u64 * u64::from(program.demand.group_size(&program.topology, node));
    let values = program.topology.live_ids().map(values).sum();
    let ticks = program.reduction.as_ref().unwrap().ticks;
    let inputs = || program.topology.node_ids().flat_map(|node| program.channels().map(move |input| (node, input)));
    let mut notes: Notes = (0..program.ticks)
        .map(|_| {
            combiner.step();
            let flit = |(node, input)| combiner.flit(program.arriving(node, input)?);
            inputs().map(|input| flit(input).map_or(0, |flit| u64::from(flit.0) + 1)).collect()
        })
        .collect();
    let gather = program.gather_part();
    for (note, tick) in notes.iter_mut().zip(1..) {
        // in the end of the reduce part all values are combined, and in the end of the gather part all packets known
        let known = gather.as_ref().filter(|_| tick > ticks).map(|gather| known(gather, tick - ticks - 1));
        let goal = program.demand.flits();
        let note_known = known.map(|known| {
            let complete = known.iter().filter(|&&count| count == goal).count() as u64;
            [complete, known.iter().sum()]
        });
        let counts = note_known.or((tick == ticks).then_some([nodes, values]));
        note.splice(0..0, counts.unwrap_or([u64::MAX; 2]));
    }
    notes
}

#[test]
fn both_parts_of_a_reduction_are_played_as_by_the_models() {
    let reduction = |sides: &[u32], settings: &[&str]| design(sides, &[settings, &["operation=sum"]].concat());
    let designs = [
        reduction(&[4, 4], &["collective=all-reduce", "scheme=staircase"]),
        reduction(&[3, 5], &["collective=all-reduce", "scheme=optimal"]),
        reduction(&[4, 6], &["collective=reduce-scatter", "scheme=staircase", "link.flits=3"]),
        reduction(&[3, 3], &["collective=all-reduce", "number=f32"]),
        // every node combines all values
        reduction(&[4, 4], &["collective=all-reduce", "count=1"]),
        reduction(&[3, 5], &["collective=all-reduce", "count=2"]),
        reduction(&[4, 4], &["collective=all-reduce", "groups=x2"]),
        reduction(&[4, 4], &["collective=all-reduce", "topology.dead.nodes=[\"2,2\"]"]),
        reduction(&[4, 5], &["collective=reduce", "root=[1, 1]"]),
    ];
    let mut pages: Vec<String> = designs.iter().map(page).collect();
    // every gain is counted for the value before
    pages.push(edited(&pages[0], "place += gains[index];", "place += gains[index] - 1;"));
    let visits: Vec<Visit> = pages.iter().map(|page| Visit { page, hash: "", script: NOTE_PARTS }).collect();
    let Some(doms) = doms(&visits) else { return };
    let notes = |dom: &String| dom.split("<pre class=\"seen\">").skip(1).map(numbers).collect::<Notes>();
    let [right, wrong] = [0, designs.len()].map(|page| notes(&doms[page]));
    assert_ne!(right[7][1], wrong[7][1], "{:?}", wrong[7]);
    for ((design, page), dom) in designs.iter().zip(&pages).zip(&doms) {
        let noted = notes(dom);
        let whole = played(design, page);
        let expected = parts_by_the_model(&whole);
        assert_eq!(noted.len(), expected.len(), "{:?}", design.program.title);
        for ((tick, noted), expected) in (1..).zip(&noted).zip(&expected) {
            let from = if expected[0] == u64::MAX { 2 } else { 0 };
            assert_eq!(noted[from..], expected[from..], "tick {tick} of {:?}", design.program.title);
        }
        let sums: Vec<u64> = noted.iter().map(|note| note[1]).collect();
        let ticks = whole.reduction.as_ref().unwrap().ticks as usize;
        assert!(sums[..ticks].is_sorted() && sums[ticks..].is_sorted(), "values are never lost");
    }
}

fn numbers(text: &str) -> Vec<u64> {
    text.split('<').next().unwrap().split(' ').map(|number| number.parse().unwrap()).collect()
}

#[test]
fn every_kind_of_program_is_played_as_by_the_model() {
    let repeating = design(&[6, 12], &["scheme=zigzag", "switching=periodic"]);
    let mut tracks = repeating.program.classes.iter().flat_map(|class| &class.outputs);
    assert!(tracks.any(|track| track.repeat_from.is_some()));
    // ports that look out of the grid have no neighbour in the page either
    let border = |shape, sides: &[u32]| {
        let (program, cover) = round_the_border(&Topology::new(shape, sides).unwrap());
        by_hand(program, Some(cover))
    };
    let by_hand = [border(ShapeName::Mesh, &[2, 4]), border(ShapeName::Cycle, &[7]), by_hand(along_a_path(5), None)];
    let woven = [
        design(&[6, 8], &[]),
        repeating,
        // delay lines
        design(&[8, 6], &["scheme=zigzag", "switching=memory"]),
        // a table of one class
        design(&[5, 5], &["scheme=optimal"]),
        design(&[3, 3, 4], &["link.flits=4"]),
        // packets arrive later than they are sent
        design(&[3, 4], &["scheme=optimal", "link.latency=3"]),
        // no link leads to a dead node
        design(&[4, 4], &["topology.dead.nodes=[\"2,2\"]"]),
        // everybody is those of the group
        design(&[4, 4], &["groups=x2"]),
    ];
    // lanes, packets in a row, joined inputs and windows
    let examples = [
        "path-9-half",
        "path-6-gather",
        "torus-5x8-half",
        "torus-4x5-gather",
        "torus-4x5-scatter",
        "torus-6x8-broadcast",
        "torus-4x4-exchange",
    ];
    let designs = by_hand.into_iter().chain(woven).chain(examples.map(example));
    let with_page = |design: Design| {
        let page = page(&design);
        (design, page)
    };
    let designs: Vec<(Design, String)> = designs.map(with_page).collect();
    let Some(noted) = noted(&designs) else { return };
    for ((design, _), (noted, by_the_model)) in designs.iter().zip(noted) {
        assert!(noted == by_the_model, "{}: the page plays otherwise", design.program.title.name);
        let live = design.program.topology.live_ids().count() as u64;
        assert_eq!(noted[7][1], live, "every node knows everything in the end");
    }
}

/// A page with a line of its scripts replaced, and the hash of that script with it: no browser would run it otherwise.
fn edited(page: &str, rule: &str, other: &str) -> String {
    assert_eq!(page.matches(rule).count(), 1, "{rule}");
    let start = page[..page.find(rule).unwrap()].rfind("<script>").unwrap() + "<script>".len();
    let script = between(&page[start - 1..], ">", "</script>");
    let script_after = script.replace(rule, other);
    let source = |script: &str| BASE64_STANDARD.encode(Sha256::digest(script));
    assert_eq!(page.matches(&source(script)).count(), 1, "the hash of the script with {rule}");
    page.replace(script, &script_after).replace(&source(script), &source(&script_after))
}

#[test]
fn a_page_that_plays_by_other_rules_is_caught() {
    let zigzag = |switching| design(&[6, 12], &["scheme=zigzag", switching]);
    let rules = [
        (zigzag("switching=memory"), "this.frame(age)[", "this.frame(1)["),
        (zigzag("switching=periodic"), "now.scene[index]++", "now.scene[index] = 1"),
        (example("path-9-half"), "(port ^ 1) * lanes + lane", "(port ^ 1) * lanes"),
        (example("torus-4x5-gather"), "frame[patches[index]] = patches[index + 1]", "frame[patches[index]] = NOTHING"),
        (example("torus-4x5-scatter"), "- age * now.played[index]", ""),
        (example("torus-4x4-exchange"), "wanted[token] !== node", "wanted[token] === node"),
    ];
    let others = rules.map(|(design, rule, other)| {
        let page = edited(&page(&design), rule, other);
        (design, page)
    });
    let Some(noted) = noted(&others) else { return };
    for ((design, _), (noted, by_the_model)) in others.iter().zip(noted) {
        assert_eq!(noted.len(), by_the_model.len());
        assert_ne!(noted, by_the_model, "{}", design.program.title.name);
    }
}

/// A page, what is done with it, and what must be seen then.
struct Told {
    page: String,
    hash: &'static str,
    script: &'static str,
    sees: fn(&str),
}

#[test]
fn pages_do_what_they_are_told() {
    let told = [
        the_hash_opens_the_page_at_a_tick_and_a_node(),
        the_names_of_axes_are_not_cut_off(),
        keys_and_buttons_move_through_time_and_from_node_to_node(),
        the_nodes_of_a_cycle_lie_on_a_ring(),
        playing_ends_at_the_last_tick_with_everything_known(),
    ];
    let visits = told.each_ref().map(|Told { page, hash, script, .. }| Visit { page, hash, script });
    for (Told { sees, .. }, dom) in told.iter().zip(doms(&visits).unwrap_or_default()) {
        sees(&dom);
    }
}

fn the_hash_opens_the_page_at_a_tick_and_a_node() -> Told {
    let sees = |dom: &str| {
        assert_eq!(between(dom, "data-tick=\"", "\""), "12");
        let count = known(&design(&[6, 8], &[]).program, 12)[2 * 8 + 3];
        let about = between(dom, "<output id=\"node\">", "<");
        let start = format!("Node 2,3 (class b) knows {count} of 96 packets; just arrived: ");
        assert!(about.starts_with(&start), "{about}");
    };
    Told { page: page(&design(&[6, 8], &[])), hash: "tick=12&node=2,3", script: "", sees }
}

/// A node has at first what others want: nothing of that has arrived.
#[test]
fn the_page_counts_what_nodes_want_from_others() {
    let states = [
        ("scatter", 0, ": 0 % of what nodes want has arrived, 1 of 20 nodes have all that they want.", "0 of 1"),
        ("gather", 0, ": 0 % of what nodes want has arrived, 19 of 20 nodes have all that they want.", "0 of 0"),
        ("exchange", 0, ": 0 % of what nodes want has arrived, 0 of 20 nodes have all that they want.", "0 of 19"),
        ("gather", 5, ": 100 % of what nodes want has arrived, 20 of 20 nodes have all that they want.", "0 of 0"),
        ("gossip", 0, "% of all packets are known, 0 of 20 nodes know everything.", ""),
    ];
    let opened = states.map(|(collective, tick, ..)| {
        let design = design(&[4, 5], &[&format!("collective={collective}")]);
        (page(&design), format!("tick={tick}&node=2,3"))
    });
    let Some(doms) = doms(&opened.each_ref().map(|(page, hash)| Visit { page, hash, script: "" })) else { return };
    for ((collective, _, state, node), dom) in states.into_iter().zip(&doms) {
        let said = |id: &str| between(dom, &format!("id=\"{id}\""), "</output>").split_once('>').unwrap().1;
        assert!(said("state").ends_with(state), "{collective}: {}", said("state"));
        let wanted = format!(" has {node} packets that it wants");
        assert!(node.is_empty() || said("node").contains(&wanted), "{collective}: {}", said("node"));
    }
}

/// Names of rows end a little left of the first column, whatever its room.
fn the_names_of_axes_are_not_cut_off() -> Told {
    let script = "
        const context = document.createElement('canvas').getContext('2d');
        const rooms = [];
        for (const sides of [[4, 4], [6, 8], [16, 16], [30, 30], [3, 3, 3], [6, 6, 6], [2, 20]]) {
            for (const width of [400, 800, 1140]) {
                const topology = new Topology({ sides, wraps: sides.map(() => true) });
                const sheet = new Sheet(topology, width, 700);
                context.font = `${Math.min(12, Math.max(8, sheet.pitch * 0.3))}px system-ui, sans-serif`;
                rooms.push(sheet.corner(0)[0] - 0.6 * sheet.pitch - context.measureText('x1 = 0').width);
            }
        }
        document.body.dataset.room = Math.min(...rooms);";
    let sees = |dom: &str| {
        let room: f64 = between(dom, "data-room=\"", "\"").parse().unwrap();
        assert!(room >= 0.0, "{room} pixels are missing");
    };
    Told { page: page(&design(&[4, 4], &[])), hash: "", script, sees }
}

fn keys_and_buttons_move_through_time_and_from_node_to_node() -> Told {
    let script = "
        const part = (id) => document.getElementById(id);
        const key = (key) => part('canvas').dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        for (const button of ['last', 'back', 'back', 'step']) part(button).click();
        for (const arrow of ['ArrowRight', 'ArrowDown', 'ArrowLeft']) key(`${arrow}`);";
    let sees = |dom: &str| {
        assert_eq!(between(dom, "data-tick=\"", "\""), "23");
        let about = between(dom, "<output id=\"node\">", "<");
        assert!(about.starts_with("Node 1,7 (class "), "0,0, then down, then left round the border: {about}");
    };
    Told { page: page(&design(&[6, 8], &[])), hash: "", script, sees }
}

#[test]
fn outputs_are_named_by_port_and_lane() {
    let page = page(&example("path-9-half"));
    for name in ["x1- lane 0", "x1- lane 1", "x1+ lane 0", "x1+ lane 1"] {
        assert!(page.contains(&format!(">{name}<")), "{name}");
    }
    assert!(!page.contains(">x2-<"), "an axis that is not there");
}

fn the_nodes_of_a_cycle_lie_on_a_ring() -> Told {
    // the first on top, so that the one across is at the bottom
    let script = "
        const canvas = document.getElementById('canvas');
        const box = canvas.getBoundingClientRect();
        const radius = 0.5 / Math.sin(Math.PI / 8);
        const clientY = box.top + box.height * (0.5 + radius / (2 * radius + 2.2));
        canvas.dispatchEvent(new MouseEvent('click', { clientX: box.left + box.width / 2, clientY }));";
    let design = Design::new(Config::of(ShapeName::Cycle, vec![8])).unwrap();
    let sees = |dom: &str| {
        let about = between(dom, "<output id=\"node\">", "<");
        assert!(about.starts_with("Node 4 (class "), "{about}");
    };
    Told { page: page(&design), hash: "", script, sees }
}

fn playing_ends_at_the_last_tick_with_everything_known() -> Told {
    // headless Chromium draws no frames when all it is asked for are elements
    let script = "
        window.requestAnimationFrame = (frame) => setTimeout(() => frame(performance.now()), 16);
        const part = (id) => document.getElementById(id);
        part('speed').value = '4';
        part('canvas').dispatchEvent(new KeyboardEvent('keydown', { key: ' ', bubbles: true }));
        part('play').dataset.said = part('toggle').textContent;
        while (part('toggle').textContent === 'Pause') await new Promise((go) => setTimeout(go, 50));";
    let sees = |dom: &str| {
        assert_eq!(between(dom, "data-said=\"", "\""), "Pause");
        assert_eq!(between(dom, "data-tick=\"", "\""), "8");
        assert_eq!(between(dom, "data-complete=\"", "\""), "16");
    };
    Told { page: page(&design(&[4, 4], &[])), hash: "", script, sees }
}

#[test]
fn a_page_of_4096_nodes_is_small() {
    let design = design(&[64, 64], &[]);
    let page = report::page(&design, &check::by_structure(&design.program), &[], "files");
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
}

/// Knowledge noted during the check equals the model's.
#[test]
fn report_is_the_same_from_check_and_model() {
    for path in examples_that_move() {
        let design = Design::new(Config::read(&path).unwrap()).unwrap();
        let program = &design.program;
        let (report, known) = check::by_execution_seen(program, &draw::times(program), &|_| {});
        assert_eq!(known.len(), draw::times(program).len(), "{}", path.display());
        assert_eq!(report, check::by_execution(program), "{}", path.display());
        let page = |known: &[Vec<u64>]| report::page(&design, &report, known, "files");
        assert!(page(&known) == page(&[]), "{}", path.display());
        let mut wrong = known;
        wrong.fill(program.demand.goals(&program.topology));
        assert!(page(&wrong) != page(&[]), "{}", path.display());
    }
}

/// The page's own scripts run, as all other tests here see; one that somebody put into it does not.
#[test]
fn a_script_that_is_not_the_pages_own_does_not_run() {
    let page = page(&example("torus-6x7"));
    assert!(!between(&page, "script-src", "\"").contains("unsafe"), "script-src allows any script");
    let added = page.replace("</main>", "<script>document.body.dataset.added = 'ran'</script></main>");
    assert!(added != page, "nothing is added");
    let visits = [Visit { page: &added, hash: "", script: "document.body.dataset.own = 'ran';" }];
    let Some(doms) = doms(&visits) else { return };
    let body = between(&doms[0], "<body", ">");
    assert!(body.contains("data-own=\"ran\"") && !body.contains("data-added"), "{body}");
}
