#[derive(Debug)]
#[allow(dead_code)]
enum Shape {
    Circle(f64),
    Square { side: f64, name: String },
    Empty,
}

mod inner {
    pub struct Thing {
        pub a: u8,
        pub b: Option<Box<u32>>,
    }

    impl Thing {
        #[inline(never)]
        pub fn sum(&self, k: u32) -> u32 {
            let z = self.a as u32 + k;
            z + self.b.as_ref().map_or(0, |b| **b)
        }
    }

    #[inline(never)]
    pub fn generic<T: Copy + Into<u64>>(t: T) -> u64 {
        let q = t.into();
        q + 1
    }
}

static mut COUNT: usize = 0;

fn main() {
    let shapes = vec![
        Shape::Circle(1.0),
        Shape::Square { side: 2.0, name: "s".to_string() },
        Shape::Empty,
    ];
    let option: Option<u32> = Some(3);
    let ordering: Option<std::cmp::Ordering> = Some(1.cmp(&2));
    let text: &str = "text";
    let character = 'x';
    let array = [1_u8; 4];
    let thing = inner::Thing { a: 1, b: None };
    unsafe { COUNT += 1 };
    println!("{shapes:?} {option:?} {ordering:?} {text} {character} {array:?}");
    println!("{} {}", thing.sum(3), inner::generic(3_u32));
}
