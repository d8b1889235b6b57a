use std::path::Path;
use wynot_core::Outcome;
use wynot_state::{process::*, program::*, *};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let p = Path::new(&args[1]).to_owned();
    let prog = Program::read(&p).unwrap();
    let inv = |a: &str| Invocation {
        program: p.clone(),
        arguments: a.split_whitespace().map(Into::into).collect(),
        input: None,
        directory: ".".into(),
        environment: std::env::vars_os().collect(),
    };
    let (a, b) = comparable(inv(&args[2]), inv(&args[3]));
    let t = std::time::Instant::now();
    let case = Case {
        program: &prog,
        passing: a,
        failing: b,
        limits: Limits::default(),
        time: std::time::Duration::from_secs(10),
    };
    let common = case.common_sites(&own_functions(&prog)).unwrap();
    eprintln!(
        "{} sites {:?}; {:?} {:?}",
        common.sites.len(),
        t.elapsed(),
        common.passing.status,
        common.failing.status
    );
    let needle = args.get(4).cloned();
    let v = Verdict::new(common.passing.clone(), common.failing.clone(), false);
    let judge = |e: &Ending| match &needle {
        Some(n) => {
            if String::from_utf8_lossy(&e.stdout).starts_with(n.as_str()) {
                Outcome::Fail
            } else if e.status == common.passing.status {
                Outcome::Pass
            } else {
                Outcome::Unresolved
            }
        }
        Non_ => v.as_ref().unwrap().of(e),
    };
    let c = chain(&case, &common, &judge, &Plan { places: 5, most: 60, jobs: 2, watch: &|_| true })
        .unwrap();
    for p in &c.points {
        let f = prog.function_at(p.site.address).map(|f| prog[f].name.clone()).unwrap_or_default();
        let l = prog.line_of(p.site.address).map(|l| l.to_string()).unwrap_or_default();
        match &p.examined {
            Examined::Found(l2) => {
                println!(
                    "{f} {l} {:?}: {} deltas {} tests ctx {} ver {} vert {:?} {:?} obst {:?}",
                    p.site.hits,
                    l2.deltas,
                    l2.tests,
                    l2.context,
                    l2.verified,
                    l2.vertices,
                    l2.missing,
                    l2.obstacle
                );
                if std::env::var_os("GDB").is_some() {
                    for c in &l2.commands {
                        println!("      {c}");
                    }
                }
                for x in &l2.findings {
                    println!(
                        "    {} is {} instead of {} (+{}) {:?}",
                        x.expression, x.failing, x.passing, x.more, x.scope
                    );
                }
            }
            Examined::Unreached => println!("{f} unreached"),
            Examined::Incomplete(i) => println!(
                "{f} {l} {:?}: {:?} {:?} {} {:?} {:?} {}",
                p.site.hits,
                i.nothing,
                i.everything,
                i.deltas.len(),
                i.ending.status,
                i.ending.crash,
                {
                    for d in &i.deltas {
                        println!(
                            "   . {} is {} instead of {} (+{}) {:?}",
                            d.expression, d.failing, d.passing, d.more, d.scope
                        )
                    }
                    String::from_utf8_lossy(&i.ending.stderr)
                }
            ),
        }
    }
    println!("{} steps {:?}", c.steps().len(), t.elapsed());
}
