import type { Deferred } from './async.ts';

/** A save that is waited for. */
export interface PendingSave extends Deferred<SVC.SaveResult> {
  nonce: string;
  /** The number of its first request among all to this page. */
  first: number;
  /** True if to save even if the editor takes the document for unmodified. */
  force: boolean;
  timer: ReturnType<typeof setTimeout>;
  /** The newest version known when `save` was called, and when the editor was last asked. */
  versionAtCall: number;
  versionAtRequest: number;
  /** True if the editor has answered, so that a version is on its way or is there. */
  isAnswered: boolean;
  /** True if the editor has answered anything since `save` was called. */
  isHeard: boolean;
  /** Runs when no version comes. */
  late?: ReturnType<typeof setTimeout>;
  retry?: ReturnType<typeof setTimeout>;
}
