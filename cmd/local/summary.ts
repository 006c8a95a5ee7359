import type { InternalSide } from './parts.ts';
import type { EditorChoice, Neighbours, Settings } from './settings.ts';

const STAND_IN = 'a stand-in that edits only plain text in docx files';

/** Prints the addresses and keys of the service. */
export function sayRunning(running: {
  address: string;
  key: string;
  callbackSecret: string;
  dataDir: string;
  internal: InternalSide;
  neighbours: Neighbours;
  store: Settings['store'];
  editor: EditorChoice['kind'];
  editorUrl: string;
  /** Docker answers, and the editor is the default. */
  isDockerOffered: boolean;
  /** The usual internal port, if another process has it. */
  takenPort: number | undefined;
  /** Mistakes of the editor. */
  mistakes: readonly string[];
}): void {
  const { address, key, callbackSecret, dataDir, internal, neighbours, mistakes } = running;
  const { ports } = neighbours;
  const real = running.isDockerOffered
    ? 'Docker is here, so make run EDITOR=docker starts the real one'
    : 'for the real one see docs/compose.md';
  const editor = running.editor === 'stand-in' ? `${STAND_IN}; ${real}` : running.editorUrl;
  const moved = running.takenPort
    ? `\n                   Port ${running.takenPort} is in use, so this is not the usual address.`
    : '';
  const documents =
    running.editor === 'stand-in'
      ? ''
      : `\n  its documents    ${internal.wopiUrl}, the editor's aliasgroup1; the gate listens on ${internal.listen}${moved}`;
  console.log(`
SVC is running.  Ctrl+C stops it.

  address          ${address}
  demo             ${address}/svc/demo
  API key          ${key}
  callback secret  ${callbackSecret}
  logs             ${dataDir}/*.log${running.store === 'shared' ? `\n  documents in     PostgreSQL and an S3 server, ${dataDir}/shared` : ''}
  editor           ${editor}${documents}

Your own pages, documents and callback receivers on this machine need their ports named: SVC_LOCAL_PORTS=8000,8090 make run${
    ports.length > 0 ? `\nNamed are ${ports.join(', ')}.` : ''
  }

Convert a document (replace report.docx by any .docx, .xlsx, .pptx, .odt ...):

curl -H 'Authorization: Bearer ${key}' -F file=@report.docx -F to=pdf ${address}/v1/convert -o report.pdf
`);
  if (mistakes.length === 0) return;
  console.error(`The editor at ${running.editorUrl} does not work with this service:\n`);
  for (const mistake of mistakes) console.error(`  ${mistake}`);
  console.error('\nThe service goes on meanwhile, and takes the editor when that is right.');
}
