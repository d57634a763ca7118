//! Network, timers and randomness for endpoints, over the global `fetch` of pages, workers, Node and workerd.

use super::platform::Host;
use crate::endpoint::{self, Address, Lost, ReplyBody, Request, Response, Wait};
use crate::engine::Platform;
use gloo_timers::future::TimeoutFuture;
use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, ReadableStreamDefaultReader, RequestRedirect, ResponseType};

const LONGEST: u32 = i32::MAX as u32;

#[derive(Debug, Clone, Copy)]
pub(super) struct Net;

#[derive(Debug)]
struct Abort(AbortController);

impl Drop for Abort {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl endpoint::Host for Net {
    fn address(&self, url: &str) -> Option<Address> {
        let at = web_sys::Url::new(url).ok()?;
        Some(Address {
            protocol: at.protocol(),
            hostname: at.hostname(),
            origin: at.origin(),
            path: at.pathname(),
            query: at.search(),
            signed: !at.username().is_empty() || !at.password().is_empty(),
        })
    }

    fn send<'a>(&'a self, request: &'a Request) -> Wait<'a, Result<Response, Lost>> {
        Box::pin(async move {
            let abort = Abort(AbortController::new().map_err(|_| Lost)?);
            // Redirects are not followed: they would send mail, and perhaps the key, to another host.
            let mut builder = gloo_net::http::Request::post(&request.url)
                .redirect(RequestRedirect::Manual)
                .abort_signal(Some(&abort.0.signal()));
            for (name, value) in &request.headers {
                builder = builder.header(name, value);
            }
            let sent = builder.body(request.body.as_str()).map_err(|_| Lost)?;
            let response = sent.send().await.map_err(|_| Lost)?;
            let reader = response.body().and_then(|body| ReadableStreamDefaultReader::new(&body).ok());
            Ok(Response {
                status: response.status(),
                redirects: response.type_() == ResponseType::Opaqueredirect,
                retry_after: response.headers().get("retry-after"),
                body: Box::new(Stream { reader, _abort: abort }),
            })
        })
    }

    fn pause(&self, ms: u32) -> Wait<'static, ()> {
        Box::pin(TimeoutFuture::new(ms.min(LONGEST)))
    }

    fn now(&self) -> u64 {
        Host.now().millis().unsigned_abs()
    }

    fn random(&self) -> f64 {
        f64::from(Host.seed()[0]) / 256.0
    }
}

#[derive(Debug)]
struct Stream {
    reader: Option<ReadableStreamDefaultReader>,
    _abort: Abort,
}

impl ReplyBody for Stream {
    fn next(&mut self) -> Wait<'_, Result<Option<Vec<u8>>, Lost>> {
        Box::pin(async {
            let Some(reader) = &self.reader else { return Ok(None) };
            let read = JsFuture::from(reader.read()).await.map_err(|_| Lost)?;
            let field = |name: &str| Reflect::get(&read, &JsValue::from_str(name)).map_err(|_| Lost);
            if field("done")?.is_truthy() {
                return Ok(None);
            }
            field("value")?.dyn_into::<Uint8Array>().map(|bytes| Some(bytes.to_vec())).map_err(|_| Lost)
        })
    }
}
