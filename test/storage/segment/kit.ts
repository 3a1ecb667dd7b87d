/** A log of its own for each test: a directory, a key, and the signed heads in memory. */
import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { LogFiles } from '#storage/segment/files.ts';
import { HeadMoved, type HeadStore, type SignedHead } from '#storage/segment/head-store.ts';
import { signatureLine, type Verifier, type VerifyBytes } from '#storage/segment/note.ts';
import { openSegmentLog, type SegmentLog, type SegmentLogOptions } from '#storage/segment/segment-log.ts';
import { verifyByNoble } from '#storage/segment/verify/ed25519.ts';
import type { Trust } from '#storage/segment/verify/trust.ts';

export const ORIGIN = 'skep.example/tenant/acme/shop/dev/main';
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

export const byNode: VerifyBytes = (signature, message, raw) => {
  const key = createPublicKey({ key: Buffer.concat([SPKI_HEAD, raw]), format: 'der', type: 'spki' });
  return verify(null, message, key, signature);
};

export class MemoryHeads implements HeadStore {
  readonly all = new Map<string, SignedHead>();

  get(logId: string): SignedHead | undefined {
    return this.all.get(logId);
  }

  async swap(logId: string, before: SignedHead | undefined, next: SignedHead): Promise<void> {
    if (this.all.get(logId)?.root !== before?.root) throw new HeadMoved(logId);
    this.all.set(logId, next);
  }
}

export interface LogPlace {
  readonly directory: string;
  readonly heads: MemoryHeads;
  readonly verifier: Verifier;
  readonly trust: Trust;
  readonly fatal: Error[];
  open(wish?: Partial<SegmentLogOptions>): Promise<SegmentLog>;
}

/** A record as the audit room writes it, shortened. */
export function recordOf(seq: number, source = 'test'): Buffer {
  return Buffer.from(JSON.stringify({ action: 'test.row.create', seq, source, source_seq: seq + 1, v: 1 }));
}

/** Appends records of the log's next numbers, strictly, each in a call of its own. */
export async function appendSome(log: SegmentLog, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => log.append([recordOf(log.next)], 'strict')));
}

export function placeOfLog(): LogPlace {
  const directory = mkdtempSync(join(tmpdir(), 'skep-segment-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const verifier = { name: ORIGIN, publicKey: raw };
  const heads = new MemoryHeads();
  const fatal: Error[] = [];
  const open = (wish: Partial<SegmentLogOptions> = {}): Promise<SegmentLog> =>
    openSegmentLog({
      logId: 'tenant/acme/shop/dev/main',
      directory: join(directory, 'log'),
      origin: ORIGIN,
      verifier,
      verify: byNode,
      signer: { sign: (text) => signatureLine(verifier, sign(null, Buffer.from(text), privateKey)) },
      heads,
      bounds: { recordsMax: 1000, bytesMax: 1_000_000 },
      sealMs: 1_000_000,
      after: (ms, run) => {
        const timer = setTimeout(run, ms).unref();
        return () => clearTimeout(timer);
      },
      each: () => undefined,
      memo: () => ({}),
      onFatal: (error) => fatal.push(error),
      onNoRoom: () => undefined,
      onUnpacked: () => undefined,
      ...wish,
    });
  return {
    directory: join(directory, 'log'),
    heads,
    verifier,
    trust: { publicKey: raw, name: null, origin: ORIGIN, verify: verifyByNoble },
    fatal,
    open,
  };
}

/** Files that stop answering, or fail, at the n-th change; reads go on. */
export class FailingFiles implements LogFiles {
  readonly #files: LogFiles;
  readonly #error: Error;
  left: number;
  changes = 0;

  constructor(files: LogFiles, left: number, error: Error) {
    this.#files = files;
    this.left = left;
    this.#error = error;
  }

  #count(): void {
    this.changes++;
    if (this.left-- <= 0) throw this.#error;
  }

  names(directory: string) {
    return this.#files.names(directory);
  }

  async pack(path: string, bytesMin: number, breath: () => Promise<void>) {
    this.#count();
    return this.#files.pack(path, bytesMin, breath);
  }

  read(path: string) {
    return this.#files.read(path);
  }

  size(path: string) {
    return this.#files.size(path);
  }

  async open(path: string) {
    this.#count();
    const file = await this.#files.open(path);
    return {
      write: async (bytes: Uint8Array, position: number) => {
        // Half of it reaches the disk before the fault.
        if (this.left === 0) await file.write(bytes.subarray(0, bytes.length >> 1), position);
        this.#count();
        await file.write(bytes, position);
      },
      sync: async () => {
        this.#count();
        await file.sync();
      },
      truncate: (length: number) => file.truncate(length),
      close: () => file.close(),
    };
  }

  async save(files: readonly (readonly [string, Uint8Array])[]) {
    // Each file by itself: a crash may come between any two.
    for (const one of files) {
      this.#count();
      await this.#files.save([one]);
    }
  }

  async protect(path: string) {
    this.#count();
    await this.#files.protect(path);
  }

  async remove(path: string) {
    this.#count();
    await this.#files.remove(path);
  }
}
