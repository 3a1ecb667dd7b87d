/** A log book over a directory of its own, with a clock that a test sets. */
import { generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { WitnessPeer } from '#actors/audit/ask-witness.ts';
import type { AuditLog } from '#actors/audit/audit-log.ts';
import { logKey } from '#actors/audit/key-port.ts';
import { LogBook } from '#actors/audit/log-book.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import type { AuditEvent } from '#actors/protocol/audit.ts';
import type { LeafStore } from '#storage/leaves/port.ts';
import { readOnlyFiles } from '#storage/segment/files.ts';
import { verifyByNoble } from '#storage/segment/verify/ed25519.ts';
import { verifyLog } from '#storage/segment/verify/verify-log.ts';
import { MemoryHeads } from '#test/storage/segment/kit.ts';

export const LOG = 'tenant/acme/shop/dev/main';

export class BookPlace {
  readonly directory = mkdtempSync(join(tmpdir(), 'skep-book-'));
  readonly clock = new SimulatedClock();
  readonly heads = new MemoryHeads();
  readonly fatal: Error[] = [];
  /** What was logged as a warning. */
  readonly warned: object[] = [];
  /** What is named as degraded. */
  readonly degraded = new Map<string, string>();
  /** The witness of every log. */
  peer: WitnessPeer | null = null;
  /** Where records are kept before the directory has them. */
  leaves: LeafStore | undefined;
  readonly #key: KeyObject;
  readonly #keys = { signingKey: () => Promise.resolve(this.#key) };

  /** `like`: a place with the same signing key. */
  constructor(like?: BookPlace) {
    this.#key = like === undefined ? generateKeyPairSync('ed25519').privateKey : like.#key;
    onTestFinished(() => rmSync(this.directory, { recursive: true, force: true }));
  }

  open(recordsMax: number): LogBook {
    const quiet = {
      info: () => undefined,
      warn: (what: object) => void this.warned.push(what),
      error: () => undefined,
    };
    const bounds = { durability: 'strict', sealMs: 1e9, recordsMax, bytesMax: 1e9, keepMs: null } as const;
    return new LogBook({
      settings: {
        deployment: 'skep',
        baseDir: this.directory,
        vaultPathTemplate: '{tenant}',
        keyIdTemplate: null,
        routing: [{ pattern: '**', ...bounds }],
        sync: this.peer === null ? [] : [{ pattern: '**', targets: [], cadenceMs: 1e9, anchor: { url: '', key: '' } }],
      },
      keys: this.#keys,
      heads: this.heads,
      clock: this.clock,
      random: randomBytes,
      log: quiet,
      after: (ms, run) => {
        const timer = setTimeout(run, ms).unref();
        return () => clearTimeout(timer);
      },
      onFatal: (error) => void this.fatal.push(error),
      degraded: {
        report: ({ name, reason }) => void this.degraded.set(name, reason),
        clear: (_scope, name) => void this.degraded.delete(name),
      },
      witness: () => this.peer!,
      leaves: this.leaves,
    });
  }

  /** The log begins anew, under the same key: everything that was signed is gone. */
  forget(): void {
    rmSync(join(this.directory, LOG), { recursive: true });
    this.heads.all.clear();
    this.clock.advance(1000);
  }

  /** A copy of logs and signed heads as they are now. */
  keep(): { bringBack(): void } {
    const copy = mkdtempSync(join(tmpdir(), 'skep-book-old-'));
    onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
    cpSync(this.directory, copy, { recursive: true });
    const heads = [...this.heads.all];
    return {
      bringBack: () => {
        rmSync(this.directory, { recursive: true });
        cpSync(copy, this.directory, { recursive: true });
        this.heads.all.clear();
        for (const [id, head] of heads) this.heads.all.set(id, head);
      },
    };
  }

  /** Appends events of the source `test`, at the clock's time. */
  async append(log: AuditLog, count: number, data: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const first = log.lastOf('test') + 1;
    const events = Array.from({ length: count }, (_, at): AuditEvent => ({
      ts: timestamp(this.clock.now()),
      source: 'test',
      source_seq: first + at,
      actor: 'ada',
      action: 'test.row',
      target: '',
      outcome: 'ok',
      request_id: '',
      data,
    }));
    for (const event of events) await log.append([event]);
  }

  /** A log of three records whose first segment has a changed byte: its file, and what it held before. */
  async damaged(): Promise<{ readonly file: string; readonly whole: Buffer }> {
    const book = this.open(100);
    await this.append(await book.open(LOG), 3);
    await book.close();
    const file = join(this.directory, LOG, 'segments', '0000000000000000.log');
    const whole = readFileSync(file);
    const bad = Buffer.from(whole);
    bad[30]! ^= 1;
    writeFileSync(file, bad);
    return { file, whole };
  }

  async verifier() {
    return (await logKey(this.#keys, LOG, `skep/${LOG}`)).verifier;
  }

  async verify() {
    const verifier = await this.verifier();
    const trust = { publicKey: verifier.publicKey, name: null, origin: null, verify: verifyByNoble };
    return verifyLog(readOnlyFiles(join(this.directory, LOG)), trust, 'directory');
  }
}
