import { createConnection } from './connection.js';
import { createHost } from './host.js';
import { Lines } from './lines.js';
import { createViews } from './views.js';

/** The stand-in editor's page. What it and its server say to each other is listed in examples/editor/document.ts. */
const element = (id) => document.getElementById(id);
const given = element('initial-variables').dataset;
const parameters = new URLSearchParams(location.search);
const wopiSrc = parameters.get('WOPISrc') ?? '';

const TEXTS = {
  savefailed: 'Chưa lưu được vào kho, sẽ thử lại. / Not stored yet, trying again.',
  saveunauthorized: 'Kho từ chối: phiên đã hết hạn. / Storage refused: the session has expired.',
  savetoolarge: 'Tệp quá lớn, không lưu được. / The file is too large to be stored.',
  documentconflict: 'Tài liệu đã thay đổi trên kho. / The document was changed in storage.',
};
const LOAD_ERRORS = { internal: 'websocketunauthorized', load: 'websocketloadfailed' };

const state = {
  token: given.accessToken,
  /** True if the page obeys its host: not before the document is loaded, and never after a lost connection. */
  obeys: false,
  everModified: false,
  modified: false,
  readonly: true,
  hostReady: false,
  notify: false,
  lastInput: Date.now(),
  disabled: new Set(),
  texts: {},
};

const host = createHost({ origin: given.postmessageOrigin, frameAncestors: given.frameAncestors, onMessage });
const connection = createConnection({
  url: socketUrl,
  onMessage: receive,
  onLost,
  onRefused,
});
const say = connection.send;
const views = createViews(element('views'), host.post);
const lines = new Lines(element('lines'), say);

function show(text) {
  element('status').textContent = text;
}

/** Both forms of the URL; only a reconnect carries `permission` (reference/editor.md A1.1). */
function socketUrl(again) {
  const access = new URLSearchParams({
    access_token: state.token,
    access_token_ttl: given.accessTokenTtl || '0',
    no_auth_header: given.noAuthHeader,
    ...(again ? { permission: state.readonly ? 'readonly' : 'edit' } : {}),
  });
  const base = location.origin.replace(/^http/, 'ws');
  const source = encodeURIComponent(wopiSrc);
  if (given.uri === '26.04') return `${base}/cool/ws?WOPISrc=${source}&${access}&compat=`;
  const document = encodeURIComponent(`${wopiSrc}${wopiSrc.includes('?') ? '&' : '?'}${access}`);
  return `${base}/cool/${document}/ws?WOPISrc=${source}&compat=/ws`;
}

function onLost() {
  state.obeys = false;
  lines.setReadOnly(true);
  element('save').disabled = true;
  views.lost();
}

function onRefused(cmd, kind) {
  const errorType = LOAD_ERRORS[cmd] ?? 'websocketproxyfailure';
  const errorMsg =
    state.texts[errorType] ?? `Không mở được tài liệu. / The document could not be opened. (${errorType} ${kind})`;
  lines.setReadOnly(true);
  show(errorMsg);
  host.post('App_LoadingStatus', { Status: 'Failed' });
  host.post('Action_Load_Resp', { success: false, result: '', errorMsg, errorType });
}

function receive(data) {
  const [, name, rest] = /^(\w+):? ?([\s\S]*)$/.exec(data) ?? [];
  const value = () => JSON.parse(rest);
  switch (name) {
    case 'wopi':
      host.setOrigin(value().PostMessageOrigin);
      return host.post('App_LoadingStatus', { Status: 'Frame_Ready', Features: { VersionStates: true } });
    case 'perm':
      return permit(rest);
    case 'lines':
      views.own(value().viewId);
      return lines.reset(value());
    case 'set':
    case 'add':
    case 'remove':
      return lines.apply(name, value());
    case 'viewinfo':
      return views.show(value());
    case 'docloaded':
      return loaded();
    case 'modified':
      return modified(rest === 'true');
    case 'saveresult':
      return saveResult(value());
    case 'uploaded':
      return show(state.modified ? '' : 'Đã lưu vào kho. / Stored.');
    case 'error':
      return storageError(/cmd=storage kind=(\w+)/.exec(rest)?.[1]);
    case 'close':
      return closedBy(rest);
  }
}

function permit(permission) {
  state.readonly = permission === 'readonly' || parameters.get('permission') === 'readonly';
  element('mode').textContent = state.readonly ? 'Chỉ xem / Read-only' : '';
  element('save').disabled = state.readonly;
  lines.setReadOnly(state.readonly);
}

function loaded() {
  // As the real one: its conditions for Document_Loaded are never all met a second time.
  state.obeys = !connection.hasLoaded();
  connection.loaded();
  lines.setReadOnly(state.readonly);
  element('save').disabled = state.readonly;
  show('');
  host.post('Action_Load_Resp', { success: true, result: '', errorMsg: '' });
  if (state.obeys) host.post('App_LoadingStatus', { Status: 'Document_Loaded', DocumentLoadedTime: Date.now() });
  views.opened();
}

function modified(value) {
  state.modified = value;
  state.everModified ||= value;
  if (value) show('Chưa lưu / Not saved');
  host.post('Doc_ModifiedStatus', { Modified: value });
}

/** As the real one: a host that asked hears of success before the upload has begun, and of nothing after it. */
function saveResult({ success, result, errorMsg = result }) {
  if (success) show('Đang gửi vào kho… / Storing…');
  if (!state.notify) return;
  state.notify = false;
  host.post('Action_Save_Resp', success ? { success } : { success, result, errorMsg });
}

function storageError(kind) {
  if (!kind) return;
  show(state.texts[kind] ?? TEXTS[kind] ?? kind);
  if (kind === 'documentconflict' && !element('conflict').open) element('conflict').showModal();
}

function closedBy(reason) {
  if (reason === 'documentconflict') {
    show('Đang tải lại… / Reloading…');
    return;
  }
  // The server is stopping: the page does not connect again by itself.
  connection.sleep();
  host.post('Session_Closed', { Reason: 'ShuttingDown' });
}

function end() {
  connection.end();
  lines.setReadOnly(true);
  element('save').disabled = true;
  show('Đã đóng. / Closed.');
}

function save(values, fromHost) {
  const options = { dontSaveIfUnmodified: Boolean(values.DontSaveIfUnmodified) };
  if (fromHost) options.extendedData = String(values.ExtendedData);
  if (values.Notify) state.notify = true;
  say(`save ${JSON.stringify(options)}`);
}

function userSave(source) {
  host.post('UI_Save', { source });
  if (!state.disabled.has('UI_Save') && !state.readonly) save({ DontSaveIfUnmodified: true }, false);
}

function userClose() {
  host.post('close', { EverModified: state.everModified, Deprecated: true });
  host.post('UI_Close', { EverModified: state.everModified });
  if (!state.disabled.has('UI_Close')) end();
}

function setHidden(id, hidden) {
  if (id === 'save' || id === 'close') element(id).hidden = hidden;
}

const EARLY = {
  Host_PostmessageReady: () => (state.hostReady = true),
  Show_Button: ({ id }) => setHidden(id, false),
  Hide_Button: ({ id }) => setHidden(id, true),
  Disable_Default_UIAction: ({ action, disable }) => state.disabled[disable ? 'add' : 'delete'](action),
  Error_Messages: ({ list = [] }) => {
    for (const { type, msg } of list) state.texts[type] = msg;
  },
};
const AFTER_READY = {
  Grab_Focus: () => {
    connection.activate();
    lines.focus();
  },
  Get_User_State: () => {
    const elapsed = Math.floor((Date.now() - state.lastInput) / 1000);
    host.post('Get_User_State_Resp', { State: elapsed > 60 ? 'idle' : 'active', Elapsed: elapsed });
  },
};
const AFTER_LOAD = {
  Get_Views: () => host.post('Get_Views_Resp', views.forHost()),
  Action_Save: (values) => save(values, true),
  Action_Close: () => end(),
};

function onMessage(id, values) {
  if (Object.hasOwn(EARLY, id)) EARLY[id](values);
  else if (Object.hasOwn(AFTER_READY, id) && state.hostReady) AFTER_READY[id](values);
  else if (Object.hasOwn(AFTER_LOAD, id) && state.obeys) AFTER_LOAD[id](values);
}

element('save').addEventListener('click', () => userSave('toolbar'));
element('close').addEventListener('click', userClose);
element('close').hidden = parameters.get('closebutton') !== '1';
element('overwrite').addEventListener('click', () => {
  element('conflict').close();
  say('savetostorage force=1');
});
element('discard').addEventListener('click', () => {
  element('conflict').close();
  connection.cut();
});

// Somebody is at the window again.
window.addEventListener('focus', connection.activate);
document.addEventListener('click', connection.activate);
document.addEventListener('input', () => (state.lastInput = Date.now()));
document.addEventListener('keydown', (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's') return;
  event.preventDefault();
  userSave('keyboard');
});
host.post('App_LoadingStatus', { Status: 'Initialized' });
connection.connect();
