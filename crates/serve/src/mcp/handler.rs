//! One client's session: what the protocol asks, handed on to whom it concerns.

use super::answer::{self, Answer, ErrorDocument};
use super::session_use::SessionUse;
use super::shared::{Asker, Shared};
use super::{
    agent_clients, background, completion, instructions, place, progress, prompts, resources,
};
use model::Error;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, ErrorData,
    GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ResourceUpdatedNotificationParam,
    ServerCapabilities, ServerConfig, SubscribeRequestParams, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, Peer, RequestContext};
use rmcp::{RoleServer, ServerHandler};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::AbortHandle;

/// Kept of what a client was told; no session has so many.
const MOST_REMARKS: usize = 200;
/// How long a call waits to hear which folder the client works in.
const FOR_ROOTS: Duration = Duration::from_secs(5);

pub struct Session {
    shared: Arc<Shared>,
    /// Where the client works; none until it has said so.
    place: watch::Sender<Option<PathBuf>>,
    watches_status: Arc<AtomicBool>,
    /// What was given and asked about, for ranking what follows.
    used: Arc<SessionUse>,
    /// What the client knows from answers as `gcf`.
    sent: Mutex<wire::Session>,
    /// What the client was told of the record at large.
    remarks: Mutex<BTreeSet<String>>,
    /// Tells of indexing that ends; ends with the session.
    teller: Mutex<Option<AbortHandle>>,
}

impl Session {
    pub fn new(shared: Arc<Shared>) -> Self {
        Session {
            shared,
            place: watch::channel(None).0,
            watches_status: Arc::default(),
            used: Arc::default(),
            sent: Mutex::default(),
            remarks: Mutex::default(),
            teller: Mutex::default(),
        }
    }

    /// Says what is missing from the record at large, once in a session.
    fn with_remarks(&self, mut answer: Answer) -> Answer {
        if let Ok(mut told) = self.remarks.lock() {
            for remark in std::mem::take(&mut answer.remarks) {
                if told.len() < MOST_REMARKS && told.insert(remark.clone()) {
                    answer.text.push_str(&remark);
                }
            }
        }
        answer
    }

    /// Leaves out of a payload what was sent before. Here, and not where the answer is
    /// made: what is given up on the way must not count as sent.
    fn in_session(&self, mut answer: Answer) -> Answer {
        if let Some(payload) = answer.payload.take()
            && let Ok(mut sent) = self.sent.lock()
        {
            if answer.is_anew {
                *sent = wire::Session::new();
            }
            if let Ok(text) = wire::gcf::encode_in(&mut sent, &payload) {
                answer.text = text;
            }
        }
        answer
    }

    /// Agents get one form of an answer, whoever entered the server with them.
    fn is_text_only(&self, peer: &Peer<RoleServer>) -> bool {
        let is_agent = |peer: &Peer<RoleServer>| {
            peer.peer_info().is_some_and(|info| agent_clients::is_agent(&info.client_info.name))
        };
        self.shared.options.text_only || is_agent(peer)
    }

    async fn asker(&self, context: &RequestContext<RoleServer>) -> Asker {
        let asker = Asker::patient(self.dir(&context.peer).await, context.ct.clone());
        Asker { session: Arc::clone(&self.used), ..asker }
    }

    /// The folder the client works in. One that has roots is given the time to
    /// name them; its first call may come before its answer.
    async fn dir(&self, peer: &Peer<RoleServer>) -> PathBuf {
        let mut place = self.place.subscribe();
        if has_roots(peer) && place.borrow().is_none() {
            let named = place.wait_for(Option::is_some);
            let _ = tokio::time::timeout(FOR_ROOTS, named).await;
        }
        let named = place.borrow().clone();
        named.unwrap_or_else(|| self.shared.options.dir.clone())
    }

    async fn find_place(&self, peer: &Peer<RoleServer>) {
        let roots = roots(peer).await;
        let access = self.shared.access();
        let chosen = tokio::task::spawn_blocking(move || place::chosen(&roots, &access)).await;
        let dir = chosen.unwrap_or_else(|_| self.shared.options.dir.clone());
        background::index_if_new(&self.shared, &dir);
        self.place.send_replace(Some(dir));
    }

    /// From now on the client hears when indexing ends.
    fn tell_of_indexing(&self, peer: Peer<RoleServer>) {
        let mut ended = self.shared.background.ended();
        let watches_status = Arc::clone(&self.watches_status);
        let task = tokio::spawn(async move {
            while ended.recv().await.is_ok() {
                let _ = peer.notify_resource_list_changed().await;
                if watches_status.load(Ordering::Relaxed) {
                    let status = ResourceUpdatedNotificationParam::new(resources::STATUS);
                    let _ = peer.notify_resource_updated(status).await;
                }
            }
        });
        if let Ok(mut teller) = self.teller.lock()
            && let Some(before) = teller.replace(task.abort_handle())
        {
            before.abort();
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Ok(teller) = self.teller.lock()
            && let Some(teller) = &*teller
        {
            teller.abort();
        }
    }
}

fn has_roots(peer: &Peer<RoleServer>) -> bool {
    peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some())
}

/// The folders the client works in, as it says.
#[expect(deprecated, reason = "today's clients have roots, and nothing else says where they work")]
async fn roots(peer: &Peer<RoleServer>) -> Vec<String> {
    if !has_roots(peer) {
        return Vec::new();
    }
    match tokio::time::timeout(FOR_ROOTS, peer.list_roots()).await {
        Ok(Ok(listed)) => listed.roots.into_iter().map(|root| root.uri).collect(),
        _ => Vec::new(),
    }
}

/// For requests that have no place for an error inside their result.
pub fn protocol_error(error: &Error) -> ErrorData {
    let document = serde_json::to_value(ErrorDocument::of(error)).ok();
    let message = error.to_string();
    match error.code() {
        model::ErrorCode::NotFound | model::ErrorCode::Ambiguous | model::ErrorCode::NotIndexed => {
            ErrorData::resource_not_found(message, document)
        }
        model::ErrorCode::Usage => ErrorData::invalid_params(message, document),
        _ => ErrorData::internal_error(message, document),
    }
}

impl ServerHandler for Session {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .enable_completions()
            .build();
        let version = self.shared.around.version();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("lore", version).with_title("lore"))
            .with_instructions(instructions::instructions(&self.shared))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.tell_of_indexing(context.peer.clone());
        self.find_place(&context.peer).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.find_place(&context.peer).await;
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let text_only = self.is_text_only(&context.peer);
        Ok(ListToolsResult::with_all_items(self.shared.listed(text_only).to_vec()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.shared
            .listed(self.shared.options.text_only)
            .iter()
            .find(|tool| tool.name == name)
            .cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tools = &self.shared.options.tools;
        let text_only = self.is_text_only(&context.peer);
        let Some(entry) = tools.answering(&request.name) else {
            return Err(ErrorData::invalid_params(tools.no_such_tool(&request.name), None));
        };
        let mut asker = self.asker(&context).await;
        let mut forwarding = None;
        if let Some(token) = context.meta.get_progress_token() {
            let (reporter, from) = progress::Reporter::new();
            asker.progress = reporter;
            let forward = progress::forward(context.peer.clone(), token, from);
            forwarding = Some(tokio::spawn(forward));
        }
        let asked = self.shared.ask(entry, request.arguments.unwrap_or_default(), asker);
        let result = match asked.await {
            Ok(answer) => {
                let answer = self.in_session(self.with_remarks(answer));
                answer::success(answer, text_only)
            }
            Err(error) => answer::failure(&error, text_only),
        };
        // Progress may not arrive after the result; a call that was given up
        // may go on reporting for a while.
        match forwarding {
            Some(forwarding) if result.is_error == Some(true) => forwarding.abort(),
            Some(forwarding) => drop(forwarding.await),
            None => {}
        }
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let asker = self.asker(&context).await;
        let listed = resources::list(&self.shared, asker, cursor.as_deref()).await;
        listed.map_err(|error| protocol_error(&error))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let asker = self.asker(&context).await;
        let read = resources::read(&self.shared, asker, &request.uri).await;
        read.map(Into::into).map_err(|error| protocol_error(&error))
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if request.uri == resources::STATUS {
            self.watches_status.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if request.uri == resources::STATUS {
            self.watches_status.store(false, Ordering::Relaxed);
        }
        Ok(())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let asker = self.asker(&context).await;
        let arguments = request.arguments.unwrap_or_default();
        let prompt = prompts::get(&self.shared, asker, &request.name, &arguments).await;
        prompt.map(Into::into).map_err(|error| protocol_error(&error))
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let asker = self.asker(&context).await;
        let completed = completion::complete(&self.shared, asker, request).await;
        completed.map_err(|error| protocol_error(&error))
    }
}
