/** How the editor's page of the fake gate behaves. */
export interface Behaviour {
  /** Says nothing at all. */
  silent?: boolean;
  /** Refuses to open. */
  failLoad?: boolean;
  /** Waits for a password. */
  locked?: boolean;
  /** Answers saves with a failure. */
  failSave?: boolean;
  /** Writes files and uploads none. */
  loseUploads?: boolean;
  /** Does not answer saves. */
  deaf?: boolean;
}

/**
 * An editor's page with the messages of the real one in their real order: a save is told before its upload, and only
 * failures of the writing are told. Tests call `type`, `typeInCell`, `autosave`, `undo`, `lose`, `sleep`,
 * `forget`, `unlock` and `say` in it.
 */
export function editorPage(behaviour: Behaviour, token: string): string {
  return `<!doctype html><title>editor</title><p tabindex="0" id="text">text</p><script>
(${script})(${JSON.stringify(behaviour)}, ${JSON.stringify(token)});
</script>`;
}

const script = `(behaviour, token) => {
  let modified = false;
  let [asleep, obeys, inCell] = [false, true, false];
  const say = (MessageId, Values) =>
    parent.postMessage(JSON.stringify({ MessageId, SendTime: Date.now(), Values }), '*');
  const upload = (query) =>
    behaviour.loseUploads || fetch('/fake/put?token=' + token + query, { method: 'POST' });
  const lose = () => {
    say('App_LoadingStatus', { Status: 'Failed' });
    say('Action_Load_Resp', { success: false, result: '', errorType: 'websocketproxyfailure', errorMsg: 'no' });
  };
  const takeFocus = () => { window.takes = (window.takes ?? 0) + 1; document.getElementById('text').focus(); };
  const setModified = (on) => { modified = on; say('Doc_ModifiedStatus', { Modified: on }); };
  Object.assign(window, {
    say, lose, received: [],
    sleep() { asleep = true; say('User_Idle', {}); },
    forget() { obeys = false; },
    type() { setModified(true); },
    typeInCell() { inCell = true; },
    undo() { setModified(false); },
    autosave() { setModified(false); upload(''); },
    closeButton() { say('UI_Close', { EverModified: true }); say('close', {}); },
    permissions: () => document.featurePolicy && ['clipboard-read', 'clipboard-write', 'fullscreen']
      .filter((name) => document.featurePolicy.allowsFeature(name)),
  });
  addEventListener('message', ({ data, source }) => {
    if (source !== parent) return;
    const { MessageId, Values } = JSON.parse(data);
    received.push({ MessageId, Values });
    if (MessageId === 'Grab_Focus') asleep = false;
    if (MessageId === 'Grab_Focus') document.getElementById('text').focus();
    if (MessageId === 'Get_Views' && obeys) say('Get_Views_Resp', []);
    if (MessageId === 'Get_User_State') say('Get_User_State_Resp', { State: asleep ? 'idle' : 'active', Elapsed: 1 });
    if (MessageId === 'Send_UNO_Command' && Values.Command === '.uno:AcceptFormula' && inCell) {
      inCell = false;
      if (Values.Args.SynchronMode.value) setModified(true);
    }
    if (MessageId !== 'Action_Save' || behaviour.deaf || asleep || !obeys) return;
    if (behaviour.failSave) return say('Action_Save_Resp', { success: false, result: '', errorMsg: 'disk' });
    if (!modified && Values.DontSaveIfUnmodified) {
      return say('Action_Save_Resp', { success: false, result: 'unmodified' });
    }
    setModified(false);
    say('Action_Save_Resp', { success: true });
    upload('&extended=' + Values.ExtendedData);
  });
  if (behaviour.silent) return;
  say('App_LoadingStatus', { Status: 'Initialized' });
  if (behaviour.failLoad) return lose();
  say('App_LoadingStatus', { Status: 'Frame_Ready', Features: { VersionStates: true } });
  window.unlock = () => open();
  if (!behaviour.locked) open();
  function open() {
  say('Action_Load_Resp', { success: true, result: '' });
  // Where the page is not displayed, there is none in Firefox, and the real page fails.
  getSelection().anchorNode;
  say('App_LoadingStatus', { Status: 'Document_Loaded', DocumentLoadedTime: 1 });
  say('View_Added', { Deprecated: true });
  say('Views_List', []);
  say('Doc_ModifiedStatus', { Modified: false });
  takeFocus();
  setTimeout(takeFocus, 300);
  }
}`;
