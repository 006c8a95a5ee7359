/** A portal's script as its developer writes it, with nothing but the types that the service serves. */
export async function embed(element: HTMLElement): Promise<SVC.SaveResult> {
  const config: SVC.Config = {
    document: { url: 'https://portal.example/a.docx', title: 'a.docx', fileType: 'docx', key: 'a-1' },
    editor: { mode: 'edit', lang: 'vi', user: { id: '1', name: 'Lan' }, callbackUrl: 'https://portal.example/cb' },
    ui: { toolbar: 'tabbed', print: false },
    width: '100%',
    height: 600,
    warnBeforeUnload: true,
    events: {
      onReady: (info) => show(info.state),
      onDocumentLoaded: ({ mode, users }) => show(mode ?? '', users[0]?.name ?? ''),
      onModified: ({ modified }) => show(String(modified)),
      onSaved: ({ version, url, size, sha256, savedAt }) =>
        show(version.toFixed(), url, size.toFixed(), sha256, savedAt ?? ''),
      onClose: ({ reason }) => show(reason),
      onLimitReached: ({ message, limit }) => show(message, String(limit?.limit)),
      onError: ({ code, message, detail }) => show(code, message, JSON.stringify(detail)),
    },
  };
  const editor: SVC.Editor = new SVC.Editor('editor', config);
  const other = window.SVC.Editor(element, { token: 'x.y.z' });
  const mode: SVC.Mode = await editor.setReadOnly(true);
  show(mode, other.getInfo().sessionId ?? '');
  other.destroy();
  try {
    return await editor.save();
  } catch (error) {
    const { code, detail } = error as SVC.EditorError;
    show(code, String(detail['hint']));
    throw error;
  } finally {
    await editor.close();
  }
}

function show(...texts: string[]): void {
  document.body.append(...texts);
}

// These must not pass.
// @ts-expect-error there is no such mode
const wrongMode: SVC.Config = { editor: { mode: 'read' } };
// @ts-expect-error there is no such event
const wrongEvent: SVC.Config = { token: '', events: { onsaved: () => {} } };
// @ts-expect-error a document needs a key
const noKey: SVC.Config = { document: { url: '', fileType: 'docx' } };
// @ts-expect-error the configuration is needed
const noConfig = () => SVC.Editor('editor');
export const mistakes = [wrongMode, wrongEvent, noKey, noConfig];
