//! Messages between executor and supervisor survive their encoding.

use super::*;
use std::path::Path;

#[test]
fn messages_are_decoded_as_they_were_encoded() {
    let [whole, after_build] = [1500, 700].map(Duration::from_millis);
    let timeout = Timeout { whole, after_build };
    let words = [b"-O2".to_vec(), b"\xff \0".to_vec()];
    let args: Vec<Bytes> = words.iter().map(Bytes::from).collect();
    let environment = Environment::Only(args.clone());
    let (program, fallback, build) = (args[0].clone(), None, None);
    let call = Call { program, fallback, args, build, environment };
    for call in [None, Some(call)] {
        let run = Run { job: JobId(7), test_dir: 1, timeout, alone: true, call };
        let request = SupervisorRequest::Run(run);
        assert_eq!(SupervisorRequest::decode(&request.encode()).unwrap(), request);
    }
    let observation = Observation {
        ending: Ending::Signal(11),
        stdout: Output { kept: b"a\xff".to_vec(), total: 99 },
        stderr: Output::default(),
        elapsed: Duration::from_micros(77),
        cpu: Duration::from_micros(66),
        waited: Duration::from_micros(55),
        memory: 77 << 20,
        build: Duration::from_micros(7),
        crash: Some(Crash::reported("panic", vec!["main".to_owned()])),
        read: None,
    };
    let own_cpu = Duration::from_micros(5);
    let changed = vec![Bytes::from(Path::new("a b"))];
    let (job, overrun) = (JobId(7), Overrun::Doubtful);
    let sent = Box::new(observation.clone());
    let reply = SupervisorReply::Observed { job, observation: sent, overrun, own_cpu, changed };
    match SupervisorReply::decode(&reply.encode()).unwrap() {
        SupervisorReply::Observed {
            job: JobId(7),
            observation: received,
            overrun,
            changed,
            ..
        } => {
            assert_eq!((*received, overrun), (observation, Overrun::Doubtful));
            assert_eq!(changed[0].path(), Path::new("a b"));
        }
        other => panic!("{other:?}"),
    }
    assert!(SupervisorReply::decode(b"o12").is_err(), "a truncated message is rejected");
    let part = MissingPart::new("a part", &io::Error::from_raw_os_error(1));
    for reply in [
        SupervisorReply::Ready { missing: vec![part.clone()] },
        SupervisorReply::Missing(vec![part]),
    ] {
        let decoded = SupervisorReply::decode(&reply.encode()).unwrap();
        assert_eq!(format!("{decoded:?}"), format!("{reply:?}"));
    }
}
