//! Explanations of programs with threads.

mod support;

use serde_json::Value;
use support::{Place, gcc};

const PASS: &str = "./threads 1 2 3 44";
const FAIL: &str = "./threads 1 2 3 --4---------";

fn explain(place: &Place, jobs: &str) -> Value {
    let options = ["explain", "-q", "--fresh", "--json", "-j", jobs];
    let done = place.run(options.into_iter().chain(["--pass", PASS, "--fail", FAIL]));
    assert_eq!(done.code, Some(0), "{done:?}");
    serde_json::from_str(&done.stdout).unwrap()
}

/// The steps without what depends on time.
fn steps(told: &Value) -> Vec<(Value, Value)> {
    let chain = told["chain"].as_array().unwrap();
    chain.iter().map(|step| (step["place"].clone(), step["causes"].clone())).collect()
}

#[test]
fn workers_carry_a_failure_to_the_first_thread() {
    let place = Place::new();
    gcc(&place, "threads", &["-g"], include_str!("state/threads.c"));
    let told = explain(&place, "2");
    let causes = |step: &Value| -> Vec<(String, String, String)> {
        let text = |cause: &Value, name: &str| cause[name].as_str().unwrap().to_owned();
        let causes = step["causes"].as_array().unwrap().iter();
        causes.map(|it| (text(it, "variable"), text(it, "function"), text(it, "failing"))).collect()
    };
    let chain = told["chain"].as_array().unwrap();
    let has = |variable: &str, function: &str, failing: &str| {
        let wanted = (variable.to_owned(), function.to_owned(), failing.to_owned());
        chain.iter().any(|step| causes(step).contains(&wanted))
    };
    assert!(has("job->length", "work", "12"), "{told:#}");
    assert!(has("job->sum", "work", "-7"), "{told:#}");
    // Once the worker has done the job, the result is reached only from a variable of another thread.
    let text = place.run(["explain", "--fresh", "--pass", PASS, "--fail", FAIL]);
    let reason = "Since jobs[4]->sum of main in thread 1 was -7,";
    assert!(text.stdout.contains(reason), "{text:?}");
    for jobs in ["1", "2", "2"] {
        assert_eq!(steps(&explain(&place, jobs)), steps(&told));
    }
}
