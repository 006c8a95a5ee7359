import { type Deferred, defer, pause } from './async.ts';
import type { EditorPage } from './page.ts';
import type { StatePoller } from './poller.ts';

/** A document whose page is asked to save (open-document.ts). */
export interface RequestedDocument {
  readonly page: Pick<EditorPage, 'send'>;
  readonly poller: Pick<StatePoller, 'hurry'>;
}

/** Time after which a request has no answer: the editor's page passes on one answer for requests that come close together. */
const UNANSWERED_MS = 5_000;
/** Answers that may still come to requests of before: their number is not known, and each costs a save a request more. */
const LATE_ANSWERS = 2;

/** The requests to save that were sent to this page of the editor, and its answers, which come in their order; some never come. */
export class SaveRequests {
  readonly #document: RequestedDocument;
  #sent = 0;
  #answered = 0;
  #sentAt = 0;
  /** The next sign of life. */
  #proof: Deferred<boolean> = defer();

  constructor(document: RequestedDocument) {
    this.#document = document;
  }

  /** Returns the number of the next request. Answers to earlier ones are expected for a while only. */
  next(): number {
    this.#answered = Math.max(this.#answered, this.#sent - (this.isUnanswered() ? 0 : LATE_ANSWERS));
    return this.#sent + 1;
  }

  /** Forgets all of them: the page is another one. */
  reset(): void {
    this.#sent = 0;
    this.#answered = 0;
  }

  /** @param options.force true if to save even if the editor takes the document for unmodified */
  send({ nonce, force }: { nonce: string; force: boolean }): void {
    this.#sent += 1;
    this.#sentAt = Date.now();
    this.#document.page.send('Action_Save', {
      DontTerminateEdit: true,
      DontSaveIfUnmodified: !force,
      Notify: true,
      ExtendedData: `svc1.${nonce}`,
    });
    this.#document.poller.hurry();
  }

  /** Counts an answer. @returns the number of the request that it is taken for */
  onAnswer(): number {
    this.#answered = Math.min(this.#answered + 1, this.#sent);
    return this.#answered;
  }

  /** Returns whether the last request is so old that it gets no answer any more. */
  isUnanswered(): boolean {
    return Date.now() - this.#sentAt > UNANSWERED_MS;
  }

  /** Resolves with whether the editor's server answers the page within so many milliseconds. */
  proof(ms: number): Promise<boolean> {
    return Promise.race([this.#proof.promise, pause(ms).then(() => false)]);
  }

  /** Tells all who wait for a proof. @param isAlive false: the page has lost its connection */
  settleProofs(isAlive: boolean): void {
    this.#proof.resolve(isAlive);
    this.#proof = defer();
  }
}
