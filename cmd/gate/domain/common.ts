import type { Audit } from '../../../src/common/audit.ts';
import type { Clock } from '../../../src/common/clock.ts';
import type { Logger } from '../../../src/common/log.ts';
import type { Links } from './links.ts';
import type { Rows, RowsReader } from './ports.ts';
import type { Uploads } from './uploads.ts';

/** What many parts of the gate need; each picks its own. */
export interface Common {
  rows: Rows;
  uploads: Uploads;
  links: Pick<Links, 'sign'>;
  /** The most bytes of a document. */
  maxBytes: number;
  clock: Clock;
  log: Logger;
  audit: Audit;
  /** Returns whether a save of a document is under way or unresolved, at any gate. */
  isSaving(docId: string, tx: RowsReader): Promise<boolean>;
  /** There is a callback to send. */
  onDelivery(): void;
}
