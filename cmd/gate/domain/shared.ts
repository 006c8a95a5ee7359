/** The state that several gates share beside rows. An error is an `Unavailable`, and comes within 4 s. */
export interface Shared {
  /** The right to do what one gate at a time does. */
  lease: Lease;
  /** The counted places (`SharedPlaces`). */
  places: SharedText;
  /** The last sample of the editor (`EditorWatch`). */
  seen: SharedText;
  /** The id of the data folder that has the bytes, where one has them. */
  bytes: SharedText;
}

export interface Lease {
  /** Takes it or keeps it, for 10 s from now on. Returns whether this gate has it. */
  renew(): Promise<boolean>;
  /** Gives it back, if this gate has it. */
  release(): Promise<void>;
}

/** A text that all gates read and write, which has the version 0 before it was written for the first time. */
export interface SharedText {
  /** Returns the text, unless its version is the known one, and the store's own time in epoch milliseconds. */
  read(known: number): Promise<{ version: number; text: string | undefined; now: number }>;
  /** Writes it unless its version is another one by now. Returns whether it did; the new version is the next number. */
  write(text: string, version: number): Promise<boolean>;
}
