//! A car park: places, tickets and fees.

use std::collections::BTreeMap;
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Motorcycle,
    Car,
    Lorry,
}

impl Kind {
    fn places(self) -> usize {
        match self {
            Kind::Motorcycle | Kind::Car => 1,
            Kind::Lorry => 3,
        }
    }

    fn cents_per_hour(self) -> u64 {
        match self {
            Kind::Motorcycle => 50,
            Kind::Car => 120,
            Kind::Lorry => 400,
        }
    }
}

#[derive(Debug)]
pub enum Refusal {
    Full,
    Unknown(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Full => write!(out, "no place is free"),
            Refusal::Unknown(plate) => write!(out, "{plate} is not here"),
        }
    }
}

#[derive(Debug)]
pub struct Ticket {
    plate: String,
    kind: Kind,
    since: u64,
    places: Vec<usize>,
}

impl Ticket {
    pub fn fee(&self, now: u64) -> u64 {
        let hours = (now - self.since).div_ceil(3600).max(1);
        hours * self.kind.cents_per_hour()
    }
}

pub struct Park {
    taken: Vec<bool>,
    tickets: BTreeMap<String, Ticket>,
    income: u64,
}

impl Park {
    pub fn new(places: usize) -> Self {
        Self { taken: vec![false; places], tickets: BTreeMap::new(), income: 0 }
    }

    fn free(&self) -> impl Iterator<Item = usize> + '_ {
        self.taken.iter().enumerate().filter(|(_, taken)| !**taken).map(|(place, _)| place)
    }

    pub fn enter(&mut self, plate: &str, kind: Kind, now: u64) -> Result<&Ticket, Refusal> {
        let places: Vec<usize> = self.free().take(kind.places()).collect();
        if places.len() < kind.places() {
            return Err(Refusal::Full);
        }
        for &place in &places {
            self.taken[place] = true;
        }
        let ticket = Ticket { plate: plate.to_owned(), kind, since: now, places };
        Ok(self.tickets.entry(plate.to_owned()).or_insert(ticket))
    }

    fn release(&mut self, places: &[usize]) {
        for &place in places {
            self.taken[place] = false;
        }
    }

    pub fn leave(&mut self, plate: &str, now: u64) -> Result<u64, Refusal> {
        let Some(ticket) = self.tickets.get(plate) else {
            return Err(Refusal::Unknown(plate.to_owned()));
        };
        let fee = ticket.fee(now);
        self.release(&ticket.places);
        self.income += fee;
        self.tickets.remove(plate);
        Ok(fee)
    }

    pub fn report(&self, now: u64) -> String {
        let mut lines = Vec::new();
        for ticket in self.tickets.values() {
            lines.push(format!("{} owes {}", ticket.plate, ticket.fee(now)));
        }
        lines.push(format!("{} cents so far", self.income));
        lines.join("\n")
    }
}
