//! The gate as an addon of Node.js, with sessions in memory and in files: one function, `answer(request)`, from a text in
//! JSON to a text in JSON, as [`tsl_synth_requests`] describes them. All threads of a process share one desk.

#![allow(unsafe_code, reason = "functions of Node.js, and functions that it calls")]

use napi_sys::{Status, napi_callback_info, napi_env, napi_status, napi_value};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::ptr::null_mut;
use std::sync::{Arc, LazyLock, Once};
use tsl_synth_gate::{Policy, PolicyError, Store};
use tsl_synth_requests::{Desk, OpenStore, Platform, StoreFiles, refusal};
use tsl_synth_stores::{FileStore, memory, policy_from_file};

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

/// Answers a request. A panic is an error, after which the gates concerned decide no more.
unsafe extern "C" fn answer(env: napi_env, info: napi_callback_info) -> napi_value {
    // SAFETY: Node.js calls this function with an environment and a call.
    let answered = unsafe { text_argument(env, info) }.and_then(|request| {
        let answered = catch_unwind(AssertUnwindSafe(|| DESK.answer(&request)));
        let text = answered.unwrap_or_else(|_| refusal("the decision failed, and the gate decides no more"));
        // SAFETY: as above.
        unsafe { text_value(env, &text) }
    });
    answered.unwrap_or_else(|_| {
        // SAFETY: both texts end with a zero.
        unsafe { napi_sys::napi_throw_type_error(env, null_mut(), c"`answer` takes one text".as_ptr()) };
        null_mut()
    })
}

/// Called by Node.js when it loads the addon, once for each of its threads.
///
/// # Safety
/// Node.js passes an environment and the object for what the addon offers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_register_module_v1(env: napi_env, exports: napi_value) -> napi_value {
    // SAFETY: the functions are those of the running program, which stays loaded.
    NODE.call_once(|| std::mem::forget(unsafe { napi_sys::setup() }));
    let name = c"answer";
    let mut function = null_mut();
    // SAFETY: the name ends with a zero, and the function needs no data.
    let made = unsafe {
        let data = null_mut::<c_void>();
        done(napi_sys::napi_create_function(env, name.as_ptr(), 6, Some(answer), data, &raw mut function))
            .and_then(|()| done(napi_sys::napi_set_named_property(env, exports, name.as_ptr(), function)))
    };
    // Without the function, the package reports that the addon does not load.
    if made.is_ok() { exports } else { null_mut() }
}

/// Called by Node.js to learn which version of its interface the addon needs.
#[unsafe(no_mangle)]
pub extern "C" fn node_api_module_get_api_version_v1() -> i32 {
    8
}
