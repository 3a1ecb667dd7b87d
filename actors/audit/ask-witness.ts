/**
 * Asks a witness to cosign a log's newest checkpoint, and compares the witness's state with the log. Source: C2SP tlog-witness, "add-checkpoint".
 */
import { verifyByNode } from './key-port.ts';
import type { Judged } from './judge-target.ts';
import { SIZE_TYPE, type WitnessReply } from './witness.ts';
import { HashReader, cosignedAt, readCheckpoint, writeAddCheckpoint, type SignedHead, type Verifier } from './store.ts';

/** A witness as the log knows it. */
export interface WitnessPeer {
  /** Its address, for messages. */
  readonly url: string;
  /** The key whose cosignature counts. */
  readonly verifier: Verifier;
  /** Sends a body to add-checkpoint; rejects when there is no answer. */
  send(body: string): Promise<WitnessReply>;
}

/** A checkpoint of this size with the witness's cosignature. */
export interface Cosigned {
  readonly note: string;
  readonly size: number;
}

type Answer = Cosigned | 'fork' | { readonly knows: number };

/**
 * The cosigned checkpoint; `rollback` where the witness has cosigned more records than this log has signed, `fork` where it has cosigned another
 * history. `from` is the size that the witness is believed to have cosigned. Rejects when the witness is unreachable, does not know the log, or
 * gives an invalid answer.
 */
export async function askWitness(
  log: Judged & { readonly head: SignedHead },
  witness: WitnessPeer,
  from: number,
): Promise<Cosigned | 'fork' | 'rollback'> {
  const first = await askOnce(log, witness, from);
  if (first === 'fork' || 'note' in first) return first;
  if (first.knows > log.head.size) return 'rollback';
  const second = await askOnce(log, witness, first.knows);
  if (second === 'fork' || 'note' in second) return second;
  throw new Error(`${witness.url} said that it knows ${first.knows} records, then ${second.knows}`);
}

async function askOnce(
  { head, files }: Judged & { readonly head: SignedHead },
  witness: WitnessPeer,
  old: number,
): Promise<Answer> {
  const hashes = new HashReader((path) => files.read(path), head.size);
  const proof = old === 0 ? [] : await hashes.consistency(old);
  const answer = await witness.send(writeAddCheckpoint(old, proof, head.note));
  if (answer.status === 200) return cosigned(head, witness, answer.body);
  if (answer.status === 422) return 'fork';
  if (answer.status !== 409)
    throw new Error(`${witness.url} answered ${answer.status} ${answer.body.slice(0, 200).trim()}`);
  const knows = answer.type.startsWith(SIZE_TYPE) ? Number(answer.body) : old;
  if (!Number.isSafeInteger(knows) || knows < 0) throw new Error(`${witness.url} answered 409 without a size`);
  if (knows !== old) return { knows };
  if (knows !== head.size)
    throw new Error(`${witness.url} refused old size ${head.size} and then named that size itself, ${knows}`);
  return 'fork'; // it knows this size, but another root
}

function cosigned({ note, size }: SignedHead, { url, verifier }: WitnessPeer, lines: string): Cosigned {
  const whole = `${note}${lines.endsWith('\n') ? lines : `${lines}\n`}`;
  const checkpoint = readCheckpoint(Buffer.from(whole));
  if (checkpoint === null || cosignedAt(checkpoint.note, verifier, verifyByNode) === null)
    throw new Error(`${url} answered 200 without a valid cosignature`);
  return { note: whole, size };
}
