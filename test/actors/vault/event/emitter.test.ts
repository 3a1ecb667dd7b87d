/** Events on their way to the audit log. Contract: docs/contract/vault.md §7.2. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import type { AuditEvent } from '#actors/protocol/audit.ts';
import { Emitter, type EventSink } from '#actors/vault/event/emitter.ts';
import { AuditUnavailable, type VaultEvent } from '#actors/vault/event/events.ts';
import { openEventSpool } from '#runtime/threads/event-spool.ts';

const event: VaultEvent = {
  action: 'secret.read',
  actor: 'spiffe://x/operator/ada',
  target: 'secret/_node/a',
  outcome: 'ok',
  tenant: 'acme:shop:dev:main',
  request_id: 'r',
};
const LOG = 'vault/dc1/main/acme/shop/dev/main';

/** A log that numbers may be taken by, or not. */
class Far implements EventSink {
  readonly taken: [string, number][] = [];
  down = false;
  last = new Map<string, number>();

  async append(logId: string, events: readonly AuditEvent[]): Promise<number> {
    if (this.down) throw new Error('down');
    for (const { source_seq } of events)
      if (source_seq > (this.last.get(logId) ?? 0)) {
        this.taken.push([logId, source_seq]);
        this.last.set(logId, source_seq);
      }
    return this.last.get(logId)!;
  }
}

function bench(options: { required?: boolean; dir?: string; spoolBytes?: number; far?: Far } = {}) {
  const dir = options.dir ?? mkdtempSync(join(tmpdir(), 'skep-spool-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const clock = new SimulatedClock();
  const far = options.far ?? new Far();
  const spool = openEventSpool(dir, options.spoolBytes);
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const emitter = new Emitter({
    sink: far,
    spool,
    clock,
    log: quiet,
    place: { datacenter: 'dc1', cluster: 'main' },
    source: 'vault/vault-1',
    required: options.required ?? false,
    // Time advances only while the code under test waits for it.
    after: (ms, run) => setImmediate(() => (clock.advance(ms), run())),
  });
  return { dir, clock, far, emitter, spool };
}

const calm = async (emitter: Emitter): Promise<void> => {
  await expect.poll(() => emitter.pending).toBe(0);
};

test('each log has its own numbers, from 1 on, in order', async () => {
  const { emitter, far } = bench();
  for (const tenant of ['acme:shop:dev:main', null, 'acme:shop:dev:main']) void emitter.emit({ ...event, tenant });
  void emitter.emit({ ...event, action: 'operator', tenant: null });
  await calm(emitter);
  expect(far.taken.toSorted(([a, x], [b, y]) => (a === b ? x - y : a < b ? -1 : 1))).toEqual([
    ['vault/_global', 1],
    ['vault/dc1/main/_cluster', 1],
    [LOG, 1],
    [LOG, 2],
  ]);
});

test('what cannot be sent for seven seconds is dropped and counted, and its numbers stay missing', async () => {
  const { emitter, far, clock } = bench();
  far.down = true;
  const began = clock.now();
  for (let i = 0; i < 3; i++) void emitter.emit(event);
  await calm(emitter);
  expect(emitter.dropped).toBe(3);
  expect(clock.now() - began).toBeGreaterThanOrEqual(7000);
  far.down = false;
  void emitter.emit(event);
  await calm(emitter);
  expect(far.taken).toEqual([[LOG, 4]]);
});

test('an outage shorter than that loses nothing', async () => {
  const { emitter, far } = bench();
  far.down = true;
  void emitter.emit(event);
  void emitter.emit(event);
  setImmediate(() => setImmediate(() => (far.down = false)));
  await calm(emitter);
  expect([far.taken, emitter.dropped]).toEqual([[[LOG, 1], [LOG, 2]], 0]); // prettier-ignore
});

test('required: the caller waits for the record, and is refused when there is none', async () => {
  const { emitter, far } = bench({ required: true });
  await emitter.emit(event);
  expect(far.taken).toEqual([[LOG, 1]]);
  far.down = true;
  await expect(emitter.emit(event)).rejects.toThrow(AuditUnavailable);
});

test('not required: no caller waits, whatever the log does', () => {
  const { emitter, far } = bench();
  far.down = true;
  expect(emitter.emit(event)).toBeNull();
});

test('a full spool drops and counts', async () => {
  const { emitter, far } = bench({ spoolBytes: 900 });
  far.down = true;
  for (let i = 0; i < 10; i++) void emitter.emit(event);
  expect(emitter.dropped).toBeGreaterThan(5);
  far.down = false;
  await calm(emitter);
  expect(far.taken.length + emitter.dropped).toBe(10);
});

test('a crash keeps what waits; what the log has already is no second record; a torn line is dropped', async () => {
  const first = bench();
  void first.emitter.emit(event);
  await calm(first.emitter);
  first.far.down = true;
  void first.emitter.emit(event);
  void first.emitter.emit(event);
  const file = join(first.dir, 'events.jsonl');
  const left = readFileSync(file);
  const dir = mkdtempSync(join(tmpdir(), 'skep-spool-'));
  writeFileSync(join(dir, 'events.jsonl'), left.subarray(0, -5));
  first.far.down = false;
  const far = new Far();
  far.last.set(LOG, 1);
  const second = bench({ dir, far });
  await calm(second.emitter);
  void second.emitter.emit(event);
  await calm(second.emitter);
  expect(far.taken).toEqual([
    [LOG, 2],
    [LOG, 3],
  ]);
  second.spool.close();
  expect(readFileSync(join(dir, 'events.jsonl'), 'utf8').trim().split('\n')).toHaveLength(3);
});

test('a state that was lost does not make events vanish: they are numbered behind what the log has', async () => {
  const far = new Far();
  far.last.set(LOG, 500);
  const { emitter } = bench({ far });
  void emitter.emit(event);
  void emitter.emit(event);
  await calm(emitter);
  expect(far.taken).toEqual([
    [LOG, 501],
    [LOG, 502],
  ]);
});

test('nothing but numbers is kept once a long spool is empty', async () => {
  const { emitter, dir, far } = bench();
  for (let i = 0; i < 600; i++) void emitter.emit(event);
  await calm(emitter);
  await expect.poll(() => readFileSync(join(dir, 'events.jsonl'), 'utf8')).toBe('');
  expect(far.taken).toHaveLength(600);
  const again = bench({ dir, far });
  void again.emitter.emit(event);
  await calm(again.emitter);
  expect(far.taken.at(-1)).toEqual([LOG, 601]);
});
