//! A small ledger, as it was when it worked.

use std::collections::BTreeMap;
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AccountId(u32);

#[derive(Clone, Debug)]
pub struct Entry {
    pub account: AccountId,
    pub cents: i64,
    pub memo: String,
}

#[derive(Debug)]
pub enum LedgerError {
    UnknownAccount(AccountId),
    Overdrawn { account: AccountId, missing: i64 },
}

impl fmt::Display for LedgerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownAccount(id) => write!(f, "no account {}", id.0),
            Self::Overdrawn { account, missing } => {
                write!(f, "account {} is short of {} cents", account.0, missing)
            }
        }
    }
}

#[derive(Default)]
pub struct Ledger {
    balances: BTreeMap<AccountId, i64>,
    history: Vec<Entry>,
    fees: Vec<i64>,
}

impl Ledger {
    pub fn open(&mut self, id: u32) -> AccountId {
        let account = AccountId(id);
        self.balances.insert(account, 0);
        account
    }

    pub fn balance(&self, account: AccountId) -> Result<i64, LedgerError> {
        self.balances.get(&account).copied().ok_or(LedgerError::UnknownAccount(account))
    }

    pub fn book(&mut self, entry: Entry) -> Result<(), LedgerError> {
        let now = self.balance(entry.account)?;
        let after = now + entry.cents;
        if after < 0 {
            return Err(LedgerError::Overdrawn { account: entry.account, missing: -after });
        }
        self.balances.insert(entry.account, after);
        self.history.push(entry);
        Ok(())
    }

    pub fn charge_fees(&mut self) -> i64 {
        for fee in self.fees.clone() {
            let discount = fee / 10;
            if discount > 5 {
                self.fees.push(discount);
            }
        }
        self.fees.iter().sum()
    }

    pub fn transfer(&mut self, from: AccountId, to: AccountId, cents: i64) -> Result<(), LedgerError> {
        let memo = format!("transfer");
        self.book(Entry { account: from, cents: -cents, memo: memo.clone() })?;
        self.book(Entry { account: to, cents, memo })
    }

    pub fn statement(&self, account: AccountId) -> Vec<&Entry> {
        let mine = |entry: &&Entry| entry.account == account;
        self.history.iter().filter(mine).collect()
    }
}

pub fn demo() -> Result<String, LedgerError> {
    let mut ledger = Ledger::default();
    let (rent, food) = (ledger.open(1), ledger.open(2));
    ledger.book(Entry { account: rent, cents: 80_000, memo: "salary".to_owned() })?;
    ledger.transfer(rent, food, 12_500)?;
    let lines: Vec<String> =
        ledger.statement(food).iter().map(|entry| format!("{:>8} {}", entry.cents, entry.memo)).collect();
    Ok(format!("{}\nfees: {}", lines.join("\n"), ledger.charge_fees()))
}
