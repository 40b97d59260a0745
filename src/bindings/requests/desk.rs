//! Requests are answered.

use crate::answer::{Answer, Fault, Finding, MadePolicy};
use crate::objects::{Object, Objects, Proxy};
use crate::platform::{OpenStore, Platform};
use crate::request::{Ask, Request, needed};
use serde_json::value::RawValue;
use std::path::Path;
use std::sync::{Arc, Mutex};
use tsl_synth_gate::{Call, Gate, McpProxy, McpStep, Policy, Speaker};

/// Answers requests; it may be shared between threads.
pub struct Desk {
    platform: Box<dyn Platform>,
    objects: Objects,
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk").finish_non_exhaustive()
    }
}

impl Desk {
    /// A desk without objects.
    pub fn new(platform: Box<dyn Platform>) -> Self {
        Self { platform, objects: Objects::default() }
    }
    /// Answers a request in JSON.
    pub fn answer(&self, request: &str) -> String {
        let answer = match serde_json::from_str::<Request<'_>>(request) {
            Ok(request) => self.answered(&request).unwrap_or_else(|error| Answer::Error { error }),
            Err(error) => {
                Answer::Error { error: Fault::from(format!("the request is not understood: {error}")) }
            }
        };
        serde_json::to_string(&answer).unwrap_or_else(|error| refusal(&error.to_string()))
    }
    fn answered(&self, request: &Request<'_>) -> Result<Answer, Fault> {
        match request.ask {
            Ask::Policy => self.policy(request),
            Ask::Store => self.store(request),
            Ask::Journal => self.journal(request),
            Ask::RemoveOld => self.remove_old(request),
            Ask::Gate => self.gate(request),
            Ask::Free => {
                self.objects.free(request.number.ok_or_else(|| "`number` is missing".to_owned())?);
                Ok(Answer::Done {})
            }
            Ask::Proxy => self.proxy(request),
            Ask::FromClient | Ask::FromServer | Ask::ServerGone => self.line(request),
            _ => session(&*self.objects.gate(request.gate)?, request),
        }
    }
    fn policy(&self, request: &Request<'_>) -> Result<Answer, Fault> {
        let policy = if let Some(path) = &request.path {
            self.platform.policy(Path::new(&**path))?
        } else {
            let name = request.name.as_deref().unwrap_or("policy.toml");
            Policy::from_text(name, needed(request.text.as_ref(), "text")?)?
        };
        Ok(Answer::Policy(MadePolicy {
            name: policy.name().to_owned(),
            sha256: policy.sha256(),
            laws: policy.laws(),
            warnings: policy.warnings().iter().map(Finding::from).collect(),
            number: self.objects.add(Object::Policy(policy))?,
        }))
    }
    fn store(&self, request: &Request<'_>) -> Result<Answer, Fault> {
        let folder = request.folder.as_deref();
        let store = if folder.is_some() || request.user {
            self.platform.files(folder.map(Path::new), request.durable).map_err(Fault::of_store)?
        } else {
            OpenStore::in_memory(self.platform.memory())
        };
        Ok(Answer::Made { number: self.objects.add(Object::Store(Arc::new(store)))? })
    }
    fn journal(&self, request: &Request<'_>) -> Result<Answer, Fault> {
        let store = self.objects.store(request.store)?;
        let files = store.files.as_ref().ok_or_else(|| "a store in memory has no files".to_owned())?;
        let path = match request.session.as_deref() {
            Some(session) => (files.journal)(session),
            None => files.folder.clone(),
        };
        let path = path.into_os_string().into_string();
        Ok(Answer::Path { path: path.map_err(|_| "the path is not UTF-8 text".to_owned())? })
    }
    fn remove_old(&self, request: &Request<'_>) -> Result<Answer, Fault> {
        let store = self.objects.store(request.store)?;
        let files = store.files.as_ref().ok_or_else(|| "a store in memory has no files".to_owned())?;
        Ok(Answer::Count { count: (files.remove_old)().map_err(Fault::of_store)? })
    }
    fn gate(&self, request: &Request<'_>) -> Result<Answer, Fault> {
        let policy = self.objects.policy(request.policy)?;
        let store = self.objects.store(request.store)?.store.clone();
        let session = needed(request.session.as_ref(), "session")?;
        let around = self.platform.surroundings(request.folder.as_deref().map(Path::new));
        let around = around.map_err(Fault::of_store)?;
        let gate = if request.shadow {
            Gate::shadow(&policy, session, store)?
        } else {
            Gate::new(&policy, session, store)?
        };
        gate.look_around(around)?;
        Ok(Answer::Made { number: self.objects.add(Object::Gate(Arc::new(gate)))? })
    }
    fn proxy(&self, request: &Request<'_>) -> Result<Answer, Fault> {
        let gate = self.objects.gate(request.gate)?;
        let server = needed(request.server.as_ref(), "server")?;
        let prefix = needed(request.prefix.as_ref(), "prefix")?;
        let proxy = Mutex::new(McpProxy::new(gate.session(), server, prefix));
        Ok(Answer::Made { number: self.objects.add(Object::Proxy(Arc::new(Proxy { gate, proxy })))? })
    }
    fn line(&self, request: &Request<'_>) -> Result<Answer, Fault> {
        let own = self.objects.proxy(request.proxy)?;
        let mut gate = &*own.gate;
        let mut proxy = own.proxy.lock().map_err(|_| "an earlier line failed".to_owned())?;
        let line = || needed(request.line.as_ref(), "line").map(str::as_bytes);
        let step: McpStep = match request.ask {
            Ask::FromClient => proxy.from_client(line()?, &mut gate),
            Ask::FromServer => proxy.from_server(line()?, &mut gate),
            _ => proxy.server_gone(&mut gate),
        };
        Ok(step.into())
    }
}

/// Answers a request to a gate.
fn session(gate: &Gate, request: &Request<'_>) -> Result<Answer, Fault> {
    let result = request.result.map(RawValue::get);
    let answer = match request.ask {
        Ask::Propose => {
            let call = Call {
                id: request.id.as_deref(),
                server: request.server.as_deref(),
                agent: request.agent.as_deref(),
                ..Call::new(needed(request.tool.as_ref(), "tool")?, request.arguments())
            };
            gate.propose_call(&call)?.into()
        }
        Ask::Commit => gate.commit(needed(request.ticket.as_ref(), "ticket")?, request.ok, result)?.into(),
        Ask::Result => gate.result(needed(request.id.as_ref(), "id")?, request.ok, result)?.into(),
        Ask::Observe => gate.observe(&request.truths)?.into(),
        Ask::Message => {
            let speaker = match request.role.as_deref() {
                Some("user") => Speaker::User,
                Some("agent" | "assistant") => Speaker::Agent,
                _ => return Err("`role` is `user` or `agent`".to_owned().into()),
            };
            gate.message(speaker, needed(request.text.as_ref(), "text")?)?.into()
        }
        Ask::Tick => gate.tick()?.into(),
        Ask::End => gate.end()?.into(),
        Ask::Close if request.remove => gate.close_and_remove()?.into(),
        Ask::Close => gate.close()?.into(),
        Ask::Options => Answer::Options(Box::new(gate.options()?)),
        _ => return Err("the request is not of a gate".to_owned().into()),
    };
    Ok(answer)
}

/// An answer in JSON that says only what failed.
pub fn refusal(why: &str) -> String {
    serde_json::json!({ "error": { "kind": "gate", "message": why } }).to_string()
}
