import { iso } from '../../../src/common/clock.ts';
import type { LicenseState } from '../../../src/common/crypto/license.ts';
import type { GateStatus } from '../../../src/common/generated/wire.ts';
import type { Common } from './common.ts';
import type { DeliveryRecord } from './model.ts';
import type { EditorState } from './ports.ts';
import type { UnsavedEdits } from './unsaved.ts';

/** Most undelivered callbacks that are shown. */
const GIVEN_UP_SHOWN = 20;
/** Anybody may ask; the disk is read for it at most this often. */
const FRESH_MS = 1_000;

interface Dependencies extends Pick<Common, 'rows' | 'clock'> {
  editor: { state(): EditorState };
  unsaved: Pick<UnsavedEdits, 'list'>;
  figures: () => Promise<GateStatus['connections']>;
  license: () => LicenseState;
  callbackSigning: boolean;
}

/** Makes the body of `GET /svc/status` (contract: Gate status). */
export function createStatus(deps: Dependencies): () => Promise<GateStatus> {
  const { rows, editor, unsaved, figures, license, callbackSigning, clock } = deps;
  let read: { at: number; stored: ReturnType<typeof stored> } | undefined;

  async function stored() {
    const { length } = await unsaved.list();
    return rows.read(async (tables) => ({
      unsaved: length,
      open: await tables.countOpen(clock()),
      callbacks: {
        pending: await tables.pendingDeliveries(),
        given_up: (await tables.givenUp(GIVEN_UP_SHOWN)).map(givenUp),
      },
    }));
  }

  return async () => {
    const now = clock();
    if (!read || now - read.at >= FRESH_MS || now < read.at) read = { at: now, stored: stored() };
    const {
      open,
      callbacks,
      unsaved: edits,
    } = await read.stored.catch((error: unknown) => {
      read = undefined;
      throw error;
    });
    const { state, graceDaysLeft } = license();
    return {
      upstream: { editor_server: editor.state() },
      editor: { unsaved: edits },
      connections: await figures(),
      license: { state, grace_days_left: graceDaysLeft },
      embed: { open_documents: open.documents, sessions: open.sessions, callback_signing: callbackSigning, callbacks },
    };
  };
}

/** The key is the portal’s and not public; ids are random. */
function givenUp({ delivery, event, docId, version, endedAt, nextAttemptAt, lastStatus }: DeliveryRecord) {
  return { delivery, event, doc_id: docId, version, at: iso(endedAt ?? nextAttemptAt), last_status: lastStatus };
}
