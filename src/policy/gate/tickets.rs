//! Tickets identify a granted call by its id and a hash of its content, so that it ends only once.

use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use tsl_synth_core::base::sha256;
use tsl_synth_core::model::{HostEvent, HostEventKind};

/// The largest number of ended calls that are remembered, so that none of them is granted again.
const MAX_ENDED: usize = 1 << 14;
/// The largest number of refused calls that are remembered, whose results would show that they were made nevertheless.
const MAX_REFUSED: usize = 64;

/// The status of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum TicketState {
    /// It was refused. The call becomes part of the session if it is known to have been made nevertheless.
    Refused(Box<HostEvent<'static>>),
    /// A person is asked. The call becomes part of the session when it is known to have been made.
    Asked(Box<HostEvent<'static>>),
    /// It was granted, and has not ended.
    Granted,
    /// It ended.
    Ended,
}

/// A call that was proposed.
#[derive(Clone, Debug, PartialEq)]
pub struct Ticket {
    /// Its name: the same for the same session, call and arguments.
    pub name: String,
    /// The hash of tool, server and canonical arguments.
    pub hash: String,
    /// The status of the call.
    pub state: TicketState,
}

/// The calls of a session that have ids.
#[derive(Clone, Debug, Default)]
pub struct Tickets {
    by_id: BTreeMap<String, Ticket>,
    /// The ids of the calls, by the names of their tickets.
    by_name: BTreeMap<String, String>,
    /// The ids of ended calls, oldest first.
    ended: VecDeque<String>,
    /// The ids of refused calls, oldest first.
    refused: VecDeque<String>,
    /// The number of calls without an id so far.
    unnamed: u64,
}

/// The hash of the content of a call: server, tool, and the arguments with keys in order.
pub fn call_hash(server: Option<&str>, tool: &str, arguments: &str) -> String {
    // Objects of `serde_json` keep their keys in order.
    let arguments = serde_json::from_str(arguments).unwrap_or_else(|_| Value::String(arguments.to_owned()));
    sha256(Value::from(vec![server.into(), tool.into(), arguments]).to_string().as_bytes())
}

/// The number of a call to which we gave a name, since its host gives none.
fn given_number(id: &str) -> Option<u64> {
    id.strip_prefix('#')?.parse().ok()
}

impl Tickets {
    /// A name for a call whose host gives none.
    pub fn given_name(&self) -> String {
        format!("#{}", self.unnamed.saturating_add(1))
    }
    /// A call with this hash that was granted or needs the approval of a person, and has not ended: one with an id of
    /// the host if there is any, otherwise the oldest. With `named_by_host` only calls with an id of the host count.
    pub fn open(&self, hash: &str, named_by_host: bool) -> Option<&str> {
        let is_open = |ticket: &Ticket| {
            ticket.hash == hash && matches!(ticket.state, TicketState::Granted | TicketState::Asked(_))
        };
        let open = self.by_id.iter().filter(|(_, ticket)| is_open(ticket)).map(|(id, _)| id.as_str());
        let numbered = open.map(|id| (given_number(id), id));
        numbered.filter(|(number, _)| !named_by_host || number.is_none()).min().map(|(_, id)| id)
    }
    /// The name and the hash of the ticket for a proposed call; a call without an id is a new one each time.
    pub fn name(&mut self, event: &HostEvent<'_>) -> Option<(String, String)> {
        let HostEventKind::Call { id, server, tool, arguments } = &event.kind else { return None };
        let hash = call_hash(server.as_deref(), tool, arguments.as_str());
        let call = if let Some(id) = id {
            self.unnamed = self.unnamed.max(given_number(id).unwrap_or(0));
            format!("id {id}")
        } else {
            self.unnamed += 1;
            format!("number {}", self.unnamed)
        };
        let whole = Value::from(vec![event.session.as_ref(), &call, &hash]).to_string();
        Some((sha256(whole.as_bytes())[..24].to_owned(), hash))
    }
    /// All tickets by the ids of their calls, and how many calls had none. Calls that ended or were refused are in the
    /// order in which they are forgotten, so that whoever sets them again forgets the same.
    pub fn all(&self) -> (impl Iterator<Item = (&str, &Ticket)>, u64) {
        let is_open = |ticket: &Ticket| matches!(ticket.state, TicketState::Asked(_) | TicketState::Granted);
        let open = self.by_id.iter().filter(move |(_, ticket)| is_open(ticket));
        let queued = self.refused.iter().chain(&self.ended).filter_map(|id| self.by_id.get_key_value(id));
        (open.chain(queued).map(|(id, ticket)| (id.as_str(), ticket)), self.unnamed)
    }
    /// Sets the number of calls without an id.
    pub fn set_unnamed(&mut self, unnamed: u64) {
        self.unnamed = unnamed;
    }
    /// The ticket of a call.
    pub fn get(&self, id: &str) -> Option<&Ticket> {
        self.by_id.get(id)
    }
    /// Sets the ticket of a call.
    pub fn set(&mut self, id: &str, ticket: Ticket) {
        if let Some(known) = self.by_id.get(id).filter(|known| known.name != ticket.name) {
            self.by_name.remove(&known.name);
        }
        self.by_name.insert(ticket.name.clone(), id.to_owned());
        // A call may be reported to have ended more than once; it is forgotten once.
        if ticket.state == TicketState::Ended
            && let Some(known) = self.by_id.get_mut(id).filter(|known| known.state == TicketState::Ended)
        {
            *known = ticket;
            return;
        }
        self.refused.retain(|own| own != id);
        let (queue, most) = match ticket.state {
            TicketState::Ended => (&mut self.ended, MAX_ENDED),
            TicketState::Refused(_) => (&mut self.refused, MAX_REFUSED),
            TicketState::Asked(_) | TicketState::Granted => {
                self.by_id.insert(id.to_owned(), ticket);
                return;
            }
        };
        queue.push_back(id.to_owned());
        let oldest = if queue.len() > most { queue.pop_front() } else { None };
        self.by_id.insert(id.to_owned(), ticket);
        if let Some(oldest) = oldest {
            let forgotten = self.by_id.remove(&oldest);
            if let Some(name) = forgotten.map(|ticket| ticket.name)
                && self.by_name.get(&name) == Some(&oldest)
            {
                self.by_name.remove(&name);
            }
        }
    }
    /// The id of the call with a ticket.
    pub fn id_of(&self, name: &str) -> Option<&str> {
        self.by_name.get(name).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticket(state: TicketState) -> Ticket {
        Ticket { name: "n".into(), hash: "h".into(), state }
    }

    fn refused() -> TicketState {
        let kind = HostEventKind::Tick;
        TicketState::Refused(Box::new(HostEvent::new("s", 0, kind)))
    }

    /// The tickets of another process, which reads them from a checkpoint.
    fn read_again(tickets: &Tickets) -> Tickets {
        let mut own = Tickets::default();
        let (all, unnamed) = tickets.all();
        all.for_each(|(id, ticket)| own.set(id, ticket.clone()));
        own.set_unnamed(unnamed);
        own
    }

    #[test]
    fn a_checkpoint_forgets_the_same_calls() {
        let mut tickets = Tickets::default();
        // Ids whose order as texts is not that of time.
        for number in 0..3 * MAX_REFUSED {
            tickets.set(&format!("c{}", (number * 7) % (3 * MAX_REFUSED)), ticket(refused()));
            if number % 5 == 0 {
                tickets.set(&format!("e{}", 9999 - number), ticket(TicketState::Ended));
                tickets.set(&format!("g{number}"), ticket(TicketState::Granted));
            }
        }
        let mut other = read_again(&tickets);
        for number in 0..2 * MAX_REFUSED {
            for own in [&mut tickets, &mut other] {
                own.set(&format!("later {number}"), ticket(refused()));
            }
            let ids = |own: &Tickets| own.all().0.map(|(id, _)| id.to_owned()).collect::<Vec<_>>();
            assert_eq!(ids(&tickets), ids(&other), "after {number} calls");
        }
        assert_eq!(read_again(&other).all().0.count(), tickets.all().0.count());
    }

    #[test]
    fn tickets_are_found_by_their_names() {
        let mut tickets = Tickets::default();
        let named =
            |number: usize, state: TicketState| Ticket { name: format!("n{number}"), ..ticket(state) };
        for number in 0..2 * MAX_REFUSED {
            tickets.set(&format!("c{number}"), named(number, TicketState::Granted));
            tickets.set(&format!("r{number}"), named(1000 + number, refused()));
        }
        // The same call with other content, and one that ended.
        tickets.set("c0", named(5000, TicketState::Granted));
        tickets.set("c1", named(1, TicketState::Ended));
        for own in [&tickets, &read_again(&tickets)] {
            let (all, _) = own.all();
            all.for_each(|(id, ticket)| assert_eq!(own.id_of(&ticket.name), Some(id)));
            assert_eq!((own.id_of("n0"), own.id_of("n1000")), (None, None), "they are not remembered");
            assert_eq!(own.by_name.len(), own.by_id.len());
        }
    }

    #[test]
    fn a_call_that_ends_again_is_forgotten_once() {
        let mut tickets = Tickets::default();
        for _ in 0..3 {
            tickets.set("first", ticket(TicketState::Ended));
        }
        for number in 1..MAX_ENDED {
            tickets.set(&format!("c{number}"), ticket(TicketState::Ended));
        }
        assert!(tickets.get("first").is_some() && tickets.get("c1").is_some());
        tickets.set("one more", ticket(TicketState::Ended));
        assert!(tickets.get("first").is_none() && tickets.get("c1").is_some());
    }
}
