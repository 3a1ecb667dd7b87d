/**
 * A witness cosigns a checkpoint only where it continues the one that it cosigned last. So two histories of one log cannot both be shown to those
 * who trust the witness. Source: C2SP tlog-witness, "add-checkpoint"; tlog-cosignature for what it signs.
 */
import { Serial } from '#actors/kit/serial.ts';
import { verifyByNode } from './key-port.ts';
import {
  cosignatureLine,
  cosignedMessage,
  isSignedBy,
  readAddCheckpoint,
  readCheckpoint,
  verifyConsistency,
} from './store.ts';
import type { AddCheckpoint, Checkpoint, Verifier } from './store.ts';

export interface WitnessReply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Stores the last cosigned note, by origin. */
export interface WitnessStore {
  get(origin: string): Promise<string | null>;
  /** Durable when it resolves. */
  put(origin: string, note: string): Promise<void>;
}

export interface WitnessParts {
  /** Keys of the logs that it knows, by their origin. */
  readonly logs: ReadonlyMap<string, Verifier>;
  readonly store: WitnessStore;
  readonly verifier: Verifier;
  readonly sign: (message: Uint8Array) => Uint8Array;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const PLAIN = 'text/plain; charset=utf-8';
/** The content type of a body that names the size the witness knows. */
export const SIZE_TYPE = 'text/x.tlog.size';

const reply = (status: number, body: string, type = PLAIN): WitnessReply => ({ status, type, body });

export class Witness {
  readonly #parts: WitnessParts;
  /** Requests run one after another: nothing may come between reading the last cosigned note and replacing it. */
  readonly #requests = new Serial();

  constructor(parts: WitnessParts) {
    this.#parts = parts;
  }

  /** 200 with a cosignature; otherwise 400, 403, 404, 409 (with the size it knows) or 422. */
  add(body: Uint8Array): Promise<WitnessReply> {
    const request = readAddCheckpoint(body);
    if (request === null) return Promise.resolve(reply(400, 'not a request of add-checkpoint\n'));
    const { checkpoint, old } = request;
    const log = this.#parts.logs.get(checkpoint.origin);
    if (log === undefined) return Promise.resolve(reply(404, 'this log is not known here\n'));
    if (!isSignedBy(checkpoint.note, log, verifyByNode))
      return Promise.resolve(reply(403, 'not signed by the key of this log\n'));
    if (old > checkpoint.size) return Promise.resolve(reply(400, 'the old size is beyond the checkpoint\n'));
    return this.#requests.run(() => this.#judge(request));
  }

  async #judge(request: AddCheckpoint): Promise<WitnessReply> {
    const { old, checkpoint } = request;
    const known = await this.#known(checkpoint.origin);
    const size = known?.size ?? 0;
    const isOther = known?.size === checkpoint.size && Buffer.compare(known.root, checkpoint.root) !== 0;
    if (old !== size || isOther) return reply(409, `${size}\n`, SIZE_TYPE);
    if (!continues(request, known)) return reply(422, 'the consistency proof does not hold\n');
    // The note is on the disk before its cosignature is given.
    await this.#parts.store.put(checkpoint.origin, noteOf(checkpoint));
    return reply(200, this.#cosign(checkpoint));
  }

  async #known(origin: string): Promise<Checkpoint | null> {
    const note = await this.#parts.store.get(origin);
    if (note === null) return null;
    const known = readCheckpoint(Buffer.from(note));
    if (known?.origin !== origin) throw new Error(`what was cosigned last of ${origin} cannot be read`);
    return known;
  }

  #cosign({ note }: Checkpoint): string {
    const { verifier, sign, now } = this.#parts;
    const seconds = Math.floor(now() / 1000);
    return cosignatureLine(verifier, seconds, sign(cosignedMessage(note.text, seconds)));
  }
}

/** Every history continues the empty one; an equal size was compared by its root already. */
function continues({ old, proof, checkpoint }: AddCheckpoint, known: Checkpoint | null): boolean {
  if (known === null || old === 0 || old === checkpoint.size) return proof.length === 0;
  return verifyConsistency(old, checkpoint.size, known.root, checkpoint.root, proof);
}

/** The text of the note under a single signature line, which makes it a note again: other signatures are not needed here. */
function noteOf({ note }: Checkpoint): string {
  const [first] = note.signatures;
  const bytes = Buffer.concat([first!.keyId, first!.bytes]).toString('base64');
  return `${note.text}\n\u2014 ${first!.name} ${bytes}\n`;
}
