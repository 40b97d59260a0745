//! The gate as an addon of Node.js, with sessions in memory and in files. Requests and answers are JSON texts, as
//! [`tsl_synth_requests`] describes them: `answer(request)` returns the answer, `answerLater(request)` a promise that a
//! worker thread fulfils. All threads of a process share the same sessions.

#![allow(unsafe_code, reason = "functions of Node.js, and functions that it calls")]

use napi_sys::{
    Status, napi_async_work, napi_callback_info, napi_deferred, napi_env, napi_status, napi_value,
};
use std::ffi::{CStr, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::ptr::null_mut;
use std::sync::{Arc, LazyLock, Once};
use tsl_synth_gate::{Policy, PolicyError, Store, Surroundings};
use tsl_synth_requests::{Desk, OpenStore, Platform, StoreFiles, refusal};
use tsl_synth_stores::{FileStore, memory, policy_from_file, surroundings, surroundings_in};

/// A machine with files.
struct Machine;

impl Platform for Machine {
    fn memory(&self) -> Arc<dyn Store> {
        Arc::new(memory())
    }
    fn files(&self, folder: Option<&Path>, is_durable: bool) -> Result<OpenStore, String> {
        let files = match folder {
            Some(folder) => FileStore::new(folder, is_durable),
            None => FileStore::of_user(is_durable),
        };
        let files = files.map_err(|error| error.to_string())?;
        let (store, folder) = (Arc::new(files.clone()), files.folder().to_owned());
        let all = files.clone();
        let journal = Box::new(move |session: &str| files.journal(session));
        let remove_old = Box::new(move || all.remove_old().map_err(|error| error.to_string()));
        Ok(OpenStore { store, files: Some(StoreFiles { folder, journal, remove_old }) })
    }
    fn policy(&self, file: &Path) -> Result<Policy, PolicyError> {
        policy_from_file(file)
    }
    fn surroundings(&self, folder: Option<&Path>) -> Result<Surroundings, String> {
        let Some(folder) = folder else { return Ok(surroundings()) };
        surroundings_in(folder).map_err(|error| error.to_string())
    }
}

static DESK: LazyLock<Desk> = LazyLock::new(|| Desk::new(Box::new(Machine)));
/// The functions of Node.js are looked up once.
static NODE: Once = Once::new();

/// The status of a call of Node.js as a result.
fn done(status: napi_status) -> Result<(), napi_status> {
    if status == Status::napi_ok { Ok(()) } else { Err(status) }
}

/// The first argument of a call, which must be a text.
///
/// # Safety
/// `env` and `info` are those of a call that Node.js makes.
unsafe fn text_argument(env: napi_env, info: napi_callback_info) -> Result<String, napi_status> {
    let (mut count, mut argument, mut length) = (1, null_mut(), 0);
    // SAFETY: the pointers are to places for one argument, and for the length in bytes.
    unsafe {
        done(napi_sys::napi_get_cb_info(
            env,
            info,
            &raw mut count,
            &raw mut argument,
            null_mut(),
            null_mut(),
        ))?;
        done(napi_sys::napi_get_value_string_utf8(env, argument, null_mut(), 0, &raw mut length))?;
    }
    // With a place for the zero that Node.js writes after the text.
    let mut bytes = vec![0_u8; length + 1];
    // SAFETY: the buffer has the size that is given.
    unsafe {
        let start = bytes.as_mut_ptr().cast();
        done(napi_sys::napi_get_value_string_utf8(env, argument, start, bytes.len(), &raw mut length))?;
    }
    bytes.truncate(length);
    String::from_utf8(bytes).map_err(|_| Status::napi_invalid_arg)
}

/// A text as a value of JavaScript.
///
/// # Safety
/// `env` is that of a call that Node.js makes.
unsafe fn text_value(env: napi_env, text: &str) -> Result<napi_value, napi_status> {
    let length = isize::try_from(text.len()).map_err(|_| Status::napi_invalid_arg)?;
    let mut value = null_mut();
    // SAFETY: the text has this length in bytes.
    unsafe { done(napi_sys::napi_create_string_utf8(env, text.as_ptr().cast(), length, &raw mut value))? };
    Ok(value)
}

/// The answer to a request. A panic is an error, after which the gates concerned decide no more.
fn answered(request: &str) -> String {
    let answered = catch_unwind(AssertUnwindSafe(|| DESK.answer(request)));
    answered.unwrap_or_else(|_| refusal("the decision failed, and the gate decides no more"))
}

/// The result of a function of the addon, which throws if it was not called with one text.
///
/// # Safety
/// `env` is that of a call that Node.js makes.
unsafe fn returned(env: napi_env, value: Result<napi_value, napi_status>) -> napi_value {
    value.unwrap_or_else(|_| {
        // SAFETY: the text ends with a zero.
        unsafe { napi_sys::napi_throw_type_error(env, null_mut(), c"the argument is one text".as_ptr()) };
        null_mut()
    })
}

/// Answers a request.
unsafe extern "C" fn answer(env: napi_env, info: napi_callback_info) -> napi_value {
    // SAFETY: Node.js calls this function with an environment and a call.
    unsafe {
        let request = text_argument(env, info);
        returned(env, request.and_then(|request| text_value(env, &answered(&request))))
    }
}

/// A request that a thread of Node.js answers.
struct Job {
    request: String,
    answer: String,
    promise: napi_deferred,
    work: napi_async_work,
}

/// Answers a request in another thread: the result is a promise of the answer.
unsafe extern "C" fn answer_later(env: napi_env, info: napi_callback_info) -> napi_value {
    // SAFETY: Node.js calls this function with an environment and a call.
    unsafe {
        let request = text_argument(env, info);
        returned(env, request.and_then(|request| queued(env, request)))
    }
}

/// Queues a request and returns the promise of its answer.
///
/// # Safety
/// `env` is that of a call that Node.js makes.
unsafe fn queued(env: napi_env, request: String) -> Result<napi_value, napi_status> {
    let (mut promise, mut work, mut deferred) = (null_mut(), null_mut(), null_mut());
    // SAFETY: the pointers are to places for the results.
    unsafe {
        let name = text_value(env, "tsl-synth")?;
        done(napi_sys::napi_create_promise(env, &raw mut deferred, &raw mut promise))?;
        let job = Job { request, answer: String::new(), promise: deferred, work };
        let job = Box::into_raw(Box::new(job));
        let (run, end) = (Some(run as _), Some(end as _));
        let made =
            napi_sys::napi_create_async_work(env, null_mut(), name, run, end, job.cast(), &raw mut work);
        (*job).work = work;
        let queued = done(made).and_then(|()| done(napi_sys::napi_queue_async_work(env, work)));
        if queued.is_err() {
            // Nobody else has the pointer.
            drop(Box::from_raw(job));
        }
        queued.map(|()| promise)
    }
}

/// Called by Node.js in another thread.
unsafe extern "C" fn run(_: napi_env, job: *mut c_void) {
    // SAFETY: it is the pointer of `queued`, and nobody else uses it now.
    let job = unsafe { &mut *job.cast::<Job>() };
    job.answer = answered(&job.request);
}

/// Called by Node.js in the thread of the environment, after [`run`] or instead of it.
unsafe extern "C" fn end(env: napi_env, status: napi_status, job: *mut c_void) {
    // SAFETY: it is the pointer of `queued`, which is used for the last time; without an answer there is no decision.
    unsafe {
        let job = Box::from_raw(job.cast::<Job>());
        let text = if status == Status::napi_ok { job.answer } else { refusal("the program ends") };
        if let Ok(value) = text_value(env, &text) {
            napi_sys::napi_resolve_deferred(env, job.promise, value);
        }
        napi_sys::napi_delete_async_work(env, job.work);
    }
}

/// Called by Node.js when it loads the addon, once for each of its threads.
///
/// # Safety
/// Node.js passes an environment and the object for what the addon offers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_register_module_v1(env: napi_env, exports: napi_value) -> napi_value {
    // SAFETY: the functions are those of the running program, which stays loaded.
    NODE.call_once(|| std::mem::forget(unsafe { napi_sys::setup() }));
    let add = |name: &CStr, own: unsafe extern "C" fn(napi_env, napi_callback_info) -> napi_value| {
        let (mut function, data, length) = (null_mut(), null_mut(), name.count_bytes().cast_signed());
        // SAFETY: the name ends with a zero, and the function needs no data.
        unsafe {
            done(napi_sys::napi_create_function(
                env,
                name.as_ptr(),
                length,
                Some(own),
                data,
                &raw mut function,
            ))?;
            done(napi_sys::napi_set_named_property(env, exports, name.as_ptr(), function))
        }
    };
    let made = add(c"answer", answer).and_then(|()| add(c"answerLater", answer_later));
    // Without the function, the package reports that the addon does not load.
    if made.is_ok() { exports } else { null_mut() }
}

/// Called by Node.js to learn which version of its interface the addon needs.
#[unsafe(no_mangle)]
pub extern "C" fn node_api_module_get_api_version_v1() -> i32 {
    8
}
