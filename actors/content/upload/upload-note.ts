/** The note of an upload as text: its JSON with a SHA-256 as the last member, so that an altered note is recognised. Notes of earlier releases have none. */
import { hash } from 'node:crypto';

/** What the note of an upload says. */
export interface UploadNote {
  /** The asset that it becomes. It has its id from the beginning on, so that a crash at the end makes no second one. */
  readonly assetId: string;
  readonly length: number;
  readonly name: string;
  /** The type that its caller declared. */
  readonly type: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Its sender: '' for a caller without a credential. */
  readonly owner: string;
  readonly endsAtMs: number;
  /** The asset is there. */
  readonly isDone: boolean;
  /** What lies behind this byte came in a request with a checksum that has not been compared yet. */
  readonly heldAt?: number | undefined;
}

const SUMMED = /^(\{.*),"sha256":"([0-9a-f]{64})"\}$/s;
const KNOWN = new Set(['assetId', 'length', 'name', 'type', 'fields', 'owner', 'endsAtMs', 'isDone', 'heldAt']);

export function uploadNoteText(note: UploadNote): string {
  const body = JSON.stringify(note).slice(0, -1);
  return `${body},"sha256":"${hash('sha256', body, 'hex')}"}`;
}

/** Null for a damaged text. */
export function parseUploadNote(text: string): UploadNote | null {
  const [, body, sum] = SUMMED.exec(text) ?? [];
  if (body !== undefined && hash('sha256', body, 'hex') !== sum) return null;
  try {
    const note = JSON.parse(body === undefined ? text : `${body}}`) as UploadNote;
    // The name of the sum itself may be what was altered.
    return Object.keys(note).every((name) => KNOWN.has(name)) ? note : null;
  } catch {
    return null;
  }
}
