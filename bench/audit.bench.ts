/** The audit log: strict appends beside what the disk does, verifying a long log offline, a proof out of tiles. */
import { createHash, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '#config/limits.ts';
import { openFiles, readOnlyFiles } from '#storage/segment/files.ts';
import { HashReader } from '#storage/segment/hash-reader.ts';
import type { HeadStore, SignedHead } from '#storage/segment/head-store.ts';
import { writeLine } from '#storage/segment/line.ts';
import { signatureLine } from '#storage/segment/note.ts';
import { openSegmentLog, type SegmentLog } from '#storage/segment/segment-log.ts';
import { verifyByNoble } from '#storage/segment/verify/ed25519.ts';
import { verifyLog } from '#storage/segment/verify/verify-log.ts';
import type { Bench, BenchCase } from './harness.ts';
import type { Figure } from './kit/figure.ts';
import { number } from './kit/format.ts';
import { functionMs } from './kit/function-bench.ts';
import { median, timesOf } from './kit/stats.ts';

const ORIGIN = 'bench.example/tenant/acme/atlas/dev/main';
const IN_FLIGHT = 64;
const LONG_RECORDS = 1_000_000;
/** Records of one call while the long log is written. */
const CALL_RECORDS = 1000;
const CALLS_AHEAD = 8;
const VERIFY_MS_MAX = 10_000;
const PROOFS = 2000;
const STRIDE = 488_189;
const PROOF_MS_MAX = 2;
const RECORD_BYTES_MAX = 400;
const PACKED_MS_MAX = 120_000;
const LOOK_MS = 100;
const PER_SECOND_MIN = 20_000;
const RATIO_MIN = 0.5;
const LAG_MS_MAX = 1000;

/** A record as a data service's create makes it, some 350 bytes, of which ids and the hash of the row do not repeat. */
function recordOf(seq: number): Buffer {
  const sha256 = createHash('sha256').update(String(seq)).digest('hex');
  const id = `01J9ZT3V8Q${sha256.slice(0, 16).toUpperCase()}`;
  const data = { entity: 'city', sha256, version: 1 };
  const who = { actor: 'apikey:01J9ZT3V8Q4Y3B6N1W5K7M2X0C', action: 'data.city.create', outcome: 'ok', target: id };
  const place = {
    id,
    request_id: `01J9ZT3V8Q${sha256.slice(16, 32).toUpperCase()}`,
    seq,
    source: 'host',
    source_seq: seq + 1,
    tenant: 'acme:atlas:dev:main',
  };
  return Buffer.from(JSON.stringify({ ...who, data, ...place, ts: '2026-01-01T00:00:00.000Z', v: 1 }));
}

class Heads implements HeadStore {
  readonly #all = new Map<string, SignedHead>();

  get(logId: string): SignedHead | undefined {
    return this.#all.get(logId);
  }

  swap(logId: string, _before: SignedHead | undefined, next: SignedHead): Promise<void> {
    this.#all.set(logId, next);
    return Promise.resolve();
  }
}

interface OpenLog {
  readonly directory: string;
  readonly publicKey: Uint8Array;
  readonly log: SegmentLog;
}

/** A log of its own in a new directory. */
async function openLog(dataDir: string): Promise<OpenLog> {
  const directory = await mkdtemp(join(dataDir, 'audit-bench-'));
  const { privateKey } = generateKeyPairSync('ed25519');
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32);
  const verifier = { name: ORIGIN, publicKey };
  const log = await openSegmentLog({
    logId: 'bench',
    directory,
    origin: ORIGIN,
    verifier,
    verify: verifyByNoble,
    signer: { sign: (text) => signatureLine(verifier, sign(null, Buffer.from(text), privateKey)) },
    heads: new Heads(),
    bounds: { recordsMax: limits.audit.segmentRecords, bytesMax: limits.audit.segmentBytes },
    sealMs: limits.audit.sealStrictMs,
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    each: () => undefined,
    memo: () => ({}),
    onFatal: (error) => {
      throw error;
    },
    onNoRoom: () => undefined,
    onUnpacked: (error) => {
      throw error;
    },
  });
  return { directory, publicKey, log };
}

export const auditAppend: BenchCase = {
  name: 'audit-append',
  measures: `strict audit records, ${IN_FLIGHT} in flight, beside append and fdatasync of as many lines`,
  target: '≥ 20,000/s or ≥ 0.5 ×, lag ≤ 1 s',
  http: false,
  seconds: (options) => (options.pairs * 2 * functionMs(options)) / 1000,
  async run({ options, dataDir }) {
    const pairs: { ceiling: number; value: number }[] = [];
    const took: number[] = [];
    let lagMs = 0;
    for (let pair = 0; pair < options.pairs; pair++) {
      const { log, directory } = await openLog(dataDir);
      const ceiling = plainAppends(directory, functionMs(options));
      const strict = await strictAppends(log, functionMs(options), took);
      pairs.push({ ceiling, value: strict.perSecond });
      lagMs = Math.max(lagMs, strict.lagMs);
      await log.close();
      await rm(directory, { recursive: true });
    }
    const value = median(pairs.map((pair) => pair.value));
    // One of the two is promised: where the rate is not reached the disk may be why.
    const target =
      value >= PER_SECOND_MIN
        ? ({ of: 'value', bound: 'min', than: PER_SECOND_MIN } as const)
        : ({ of: 'ratio', bound: 'min', than: RATIO_MIN } as const);
    const lag = `checkpoint lag ${Math.round(lagMs)} ms${lagMs > LAG_MS_MAX ? ', over its bound' : ''}`;
    return [
      {
        name: 'audit-append',
        unit: 'op/s',
        value,
        ...timesOf(took),
        ceiling: median(pairs.map((pair) => pair.ceiling)),
        ratio: median(pairs.map((pair) => pair.value / pair.ceiling)),
        pairs,
        errors: 0,
        target,
        note: lag,
      },
    ];
  },
};

/** Lines a second that a loop appends and syncs in batches of as many as are in flight. */
function plainAppends(directory: string, ms: number): number {
  const fd = openSync(join(directory, 'plain'), 'w', 0o600);
  const batch = Buffer.concat(Array.from({ length: IN_FLIGHT }, (_, no) => writeLine(recordOf(no))));
  const from = performance.now();
  let at = 0;
  let batches = 0;
  for (; performance.now() - from < ms; batches++) {
    at += writeSync(fd, batch, 0, batch.length, at);
    fdatasyncSync(fd);
  }
  closeSync(fd);
  return (batches * IN_FLIGHT * 1000) / (performance.now() - from);
}

/** As many callers as are in flight, each with one record at a time; and how long the oldest record waited for its checkpoint. */
async function strictAppends(
  log: SegmentLog,
  ms: number,
  took: number[],
): Promise<{ perSecond: number; lagMs: number }> {
  const from = performance.now();
  const times: number[] = [];
  let done = 0;
  let lagMs = 0;
  let seen = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() - from < ms) {
      const began = performance.now();
      const index = log.next;
      if ((await log.append([recordOf(index)], 'strict')) !== 'kept') throw new Error('a record was not kept');
      const now = performance.now();
      times[index] = now;
      took.push(now - began);
      done++;
      const covered = log.head?.size ?? 0;
      for (; seen < covered; seen++) lagMs = Math.max(lagMs, now - (times[seen] ?? now));
      lagMs = Math.max(lagMs, now - (times[seen] ?? now)); // the oldest that none covers yet
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, caller));
  return { perSecond: (done * 1000) / (performance.now() - from), lagMs };
}

async function writeLongLog(bench: Bench): Promise<OpenLog> {
  bench.log(`  writing ${number(LONG_RECORDS)} records`);
  const opened = await openLog(bench.dataDir);
  const { log } = opened;
  const running: Promise<unknown>[] = [];
  while (log.next < LONG_RECORDS) {
    const first = log.next;
    const count = Math.min(CALL_RECORDS, LONG_RECORDS - first);
    running.push(
      log.append(
        Array.from({ length: count }, (_, at) => recordOf(first + at)),
        'batched',
      ),
    );
    if (running.length >= CALLS_AHEAD) await running.shift();
  }
  await Promise.all(running);
  await log.published(LONG_RECORDS);
  return opened;
}

export const auditLong: BenchCase = {
  name: 'audit-long',
  measures:
    'a log of 1,000,000 records: its bytes on the disk, verifying it offline, inclusion proofs out of its tiles',
  target: '≤ 400 bytes a record, verify ≤ 10 s, proof p50 ≤ 2 ms',
  http: false,
  seconds: () => 60,
  async run(bench) {
    const opened = await writeLongLog(bench);
    try {
      return [await bytesOf(opened), await verifyWhole(opened), await proveMany(opened)];
    } finally {
      await opened.log.close();
      await rm(opened.directory, { recursive: true, force: true });
    }
  },
};

/** Segments, bundles, tiles and manifests, when all that is sealed is packed. The open segment is not. */
async function bytesOf({ directory }: OpenLog): Promise<Figure> {
  const end = performance.now() + PACKED_MS_MAX;
  while ((await plainSealed(directory)) > 0) {
    if (performance.now() > end) throw new Error(`not packed within ${PACKED_MS_MAX / 1000} s`);
    await sleep(LOOK_MS);
  }
  const names = await readdir(directory, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    names.filter((one) => one.isFile()).map(async (one) => (await stat(join(one.parentPath, one.name))).size),
  );
  const value = sizes.reduce((sum, size) => sum + size, 0) / LONG_RECORDS;
  const target = { of: 'value', bound: 'max', than: RECORD_BYTES_MAX } as const;
  const note = `a record has ${recordOf(0).length} bytes`;
  return { name: 'audit-long bytes a record', unit: 'B', value, errors: 0, target, note };
}

/** Sealed segments that lie as they were written. */
async function plainSealed(directory: string): Promise<number> {
  const names = new Set(await readdir(join(directory, 'segments')));
  return [...names].filter((name) => name.endsWith('.json') && names.has(name.replace('.json', '.log'))).length;
}

/** With the second implementation of Ed25519, as `skep audit verify` does it. */
async function verifyWhole({ directory, publicKey }: OpenLog): Promise<Figure> {
  const trust = { publicKey, name: null, origin: ORIGIN, verify: verifyByNoble };
  const from = performance.now();
  const report = await verifyLog(readOnlyFiles(directory), trust, 'directory');
  const ms = performance.now() - from;
  if (report.verdict !== 'good' || report.records !== LONG_RECORDS) throw new Error(JSON.stringify(report));
  const target = { of: 'value', bound: 'max', than: VERIFY_MS_MAX } as const;
  const note = `${number((LONG_RECORDS * 1000) / ms)} records/s`;
  return { name: 'audit-long verify', unit: 'ms', value: ms, errors: 0, target, note };
}

/** Nothing is kept from one proof to the next. */
async function proveMany({ directory }: OpenLog): Promise<Figure> {
  const files = openFiles(directory);
  const took: number[] = [];
  for (let no = 0; no < PROOFS; no++) {
    const from = performance.now();
    // Far from the one before: another tile of level 0.
    await new HashReader((path) => files.read(path), LONG_RECORDS).inclusion((no * STRIDE) % LONG_RECORDS);
    took.push(performance.now() - from);
  }
  const perSecond = (took.length * 1000) / took.reduce((sum, one) => sum + one, 0);
  const target = { of: 'p50Ms', bound: 'max', than: PROOF_MS_MAX } as const;
  return { name: 'audit-long proof', unit: 'op/s', value: perSecond, ...timesOf(took), errors: 0, target };
}
