//! The memory of programs under control, which is the same in all runs.

mod programs;

use programs::{Program, SOON, text};
use wynot_state::dwarf::name_frames;
use wynot_state::process::{Inferior, InferiorLimits, ProcessError, pad_environments};

const PLACES: &str = r#"
#include <stdio.h>
#include <stdlib.h>
int number;
void here(void *local, void *block) {}
int main(int argc, char **argv) {
    int local;
    char *block = malloc(100);
    free(malloc(50));
    here(&local, block);
    printf("%p %p %p %p\n", &local, block, &number, printf);
}
"#;

#[test]
fn padded_environments_give_equal_addresses() {
    let program = Program::new(PLACES);
    let short = program.invocation(&["a"]);
    let long = program.invocation(&["b", "a much longer argument than the other", "", "c"]);
    let place = |invocation| {
        let mut inferior =
            Inferior::start(&invocation, &InferiorLimits::default(), name_frames).unwrap();
        let here = program.at(&inferior, "here");
        inferior.run_to(&[here]).unwrap();
        let registers = inferior.registers();
        (registers, text(&inferior.finish(SOON).unwrap().stdout).to_owned())
    };
    let (mut short, mut long) = (short, long);
    pad_environments([&mut short, &mut long]);
    let ((a, said), (b, also_said)) = (place(short), place(long));
    assert_eq!((a.sp(), said), (b.sp(), also_said));
    assert_eq!(a.by_dwarf_number()[4..8], b.by_dwarf_number()[4..8]);
}

#[test]
fn two_runs_have_the_same_memory() {
    for flags in [&[][..], &["-fstack-protector-all"], &["-static"]] {
        let program = Program::built(PLACES, flags);
        let images = [(); 2].map(|()| {
            let inferior = program.started_at("here", &["x"]);
            let image = inferior.snapshot_memory().unwrap();
            let here = inferior.registers().ip();
            assert_ne!(image.bytes(here, 1), Some(&[0xcc][..]), "breakpoints are not seen");
            image
        });
        let [a, b] = images.each_ref().map(|image| image.writable().collect::<Vec<_>>());
        assert_eq!(a.len(), b.len());
        let words = |bytes: &[u8]| bytes.chunks_exact(8).map(<[u8]>::to_vec).collect::<Vec<_>>();
        let pairs = a
            .into_iter()
            .zip(b)
            .flat_map(|((_, a), (_, b))| words(a).into_iter().zip(words(b)).collect::<Vec<_>>());
        // The numbers of the process and the processor, and the time that the dynamic linker took.
        let differing: Vec<_> = pairs.filter(|(a, b)| a != b).collect();
        assert!(differing.len() <= 4, "{flags:?}: {differing:x?}");
    }
}

#[test]
fn reading_memory_that_does_not_exist_fails() {
    let program = Program::new(PLACES);
    let mut inferior = program.started_at("here", &[]);
    let image = inferior.snapshot_memory().unwrap();
    assert_eq!(image.bytes(0, 1), None);
    assert_eq!(image.bytes(inferior.registers().sp(), 1 << 30), None);
    assert!(image.bytes(inferior.registers().sp(), 64).is_some());
    assert!(inferior.read(0, &mut [0]).is_err());
    assert!(inferior.write(0, &[0]).is_err());
    assert!(matches!(inferior.run_to(&[0]), Err(ProcessError::NoCode(0))));
    let small = InferiorLimits { memory_snapshot: 1000, ..InferiorLimits::default() };
    let inferior = Inferior::start(&program.invocation(&[]), &small, name_frames).unwrap();
    assert!(matches!(inferior.snapshot_memory(), Err(ProcessError::TooLarge(_))));
}

#[test]
fn random_bytes_are_the_same_in_all_runs() {
    let source = r#"
        #include <stdio.h>
        #include <sys/random.h>
        #include <sys/wait.h>
        #include <unistd.h>
        int main(void) {
            unsigned long numbers[3];
            printf("%ld\n", (long)getrandom(numbers, sizeof numbers, 0));
            printf("%lx %lx %lx\n", numbers[0], numbers[1], numbers[2]);
            printf("%ld\n", (long)getrandom((void *)8, 8, 0));
            fflush(stdout);
            if (fork() == 0) { getrandom(numbers, 8, 0); printf("%lx\n", numbers[0]); return 0; }
            wait(0);
        }"#;
    let program = Program::new(source);
    let [a, b] = [(); 2].map(|()| program.start(&[]).finish(SOON).unwrap());
    assert_eq!(a, b);
    let said = text(&a.stdout);
    let mut lines = said.lines();
    assert_eq!(lines.next(), Some("24"));
    let numbers: Vec<&str> = lines.next().unwrap().split(' ').collect();
    assert!(numbers[0] != numbers[1] && numbers[1] != numbers[2], "{said}");
    assert_eq!(lines.next(), Some("-1"));
    assert_eq!(lines.count(), 1);
}
