//! Books payments; an account holds at most 255.

use std::env;

#[derive(Debug, Clone)]
enum Payment {
    Deposit { account: usize, amount: u8 },
    Remark(String),
}

struct Ledger {
    accounts: Vec<u8>,
    remarks: Vec<String>,
}

#[inline(never)]
fn parse(word: &str) -> Payment {
    match word.split_once(':').map(|(a, b)| (a.parse(), b.parse())) {
        Some((Ok(account), Ok(amount))) => Payment::Deposit { account, amount },
        _ => Payment::Remark(word.to_owned()),
    }
}

#[inline(never)]
fn book(ledger: &mut Ledger, payment: Payment) {
    match payment {
        Payment::Deposit { account, amount } => ledger.accounts[account] += amount,
        Payment::Remark(text) => ledger.remarks.push(text),
    }
}

#[inline(never)]
fn run(words: &[String]) -> u32 {
    let mut ledger = Ledger { accounts: vec![100; 4], remarks: Vec::new() };
    for word in words {
        let payment = parse(word);
        book(&mut ledger, payment);
    }
    ledger.accounts.iter().map(|balance| u32::from(*balance)).sum()
}

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    println!("{}", run(&words));
}
