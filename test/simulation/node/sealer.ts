/** The room of the audit sealer: its logs over the simulated disk, with signed heads in an environment, and the judge of a log at the end. */
import { createPrivateKey } from 'node:crypto';
import { randomBytes } from '#test/simulation/instead/crypto.ts';
import { unpackEvents } from '#actors/host/outbox/event-batch.ts';
import { logKey, verifyByNode } from '#actors/audit/key-port.ts';
import { LogBook } from '#actors/audit/log-book.ts';
import { LmdbHeads, openEnvironment, type Environment } from '#actors/audit/store.ts';
import { systemClock } from '#actors/kit/clock.ts';
import type { Channel } from '#actors/protocol/channel.ts';
import { tenantLogId } from '#actors/protocol/position.ts';
import { readOnlyFiles } from '#storage/segment/files.ts';
import { verifyLog } from '#storage/segment/verify/verify-log.ts';
import { DATA_DIR, positionOfTenant } from './host.ts';
import type { Settings } from './settings.ts';

const BASE_DIR = `${DATA_DIR}/audit`;
/** An Ed25519 key in PKCS #8: the same in each run, so that signatures are. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const SECRET = createPrivateKey({
  key: Buffer.concat([PKCS8_HEAD, Buffer.alloc(32, 7)]),
  format: 'der',
  type: 'pkcs8',
});
const keys = { signingKey: () => Promise.resolve(SECRET) };

export interface SealerPorts {
  readonly settings: Settings;
  readonly channel: Channel;
  readonly onFatal: (error: Error) => void;
  /** A log refuses to be written, or something else is worse than it should be. */
  readonly onWorse: (what: string) => void;
}

export interface SimulatedSealer {
  close(): Promise<void>;
}

export function openSealer({ settings, channel, onFatal, onWorse }: SealerPorts): SimulatedSealer {
  const environment: Environment = openEnvironment(`${BASE_DIR}/.state`, { onFatal });
  const bounds = { sealMs: 60_000, recordsMax: settings.recordsMax, bytesMax: 1e6, keepMs: null };
  const tell = (_facts: object, text: string): void => onWorse(text);
  const book = new LogBook({
    settings: {
      deployment: 'skep',
      baseDir: BASE_DIR,
      vaultPathTemplate: '{tenant}',
      keyIdTemplate: null,
      routing: [{ pattern: '**', durability: 'strict', ...bounds }],
      sync: [],
    },
    keys,
    heads: new LmdbHeads(environment),
    clock: systemClock,
    random: randomBytes,
    log: { info: () => undefined, warn: tell, error: tell },
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    onFatal,
    degraded: { report: ({ reason }) => onWorse(reason), clear: () => undefined },
    witness: () => {
      throw new Error('there is no witness');
    },
  });
  // As runtime/threads/audit-sealer.ts does.
  channel.answer('audit.append', async (batch) => {
    const log = await book.open(tenantLogId(batch.position));
    const { fate } = await log.append(unpackEvents(batch), 'strict');
    if (fate !== 'kept') throw new Error(`${log.id}: ${fate}`);
    return null;
  });
  return {
    close: async () => {
      // What a fall has left unsigned is signed when its log is opened again.
      for (const id of book.ids()) await book.open(id);
      await book.close();
      await environment.close();
    },
  };
}

/** Holds a closed log against the events that were committed: each once and in order, and everything signed. Throws with what is wrong. */
export async function judgeLog(tenant: number, events: readonly string[]): Promise<void> {
  if (events.length === 0) return;
  const id = tenantLogId(positionOfTenant(tenant));
  const files = readOnlyFiles(`${BASE_DIR}/${id}`);
  const { verifier } = await logKey(keys, id, `skep/${id}`);
  const trust = { publicKey: verifier.publicKey, name: null, origin: null, verify: verifyByNode };
  const report = await verifyLog(files, trust, 'directory');
  if (report.verdict !== 'good' || report.unsigned > 0)
    throw new Error(`${id} does not verify: ${JSON.stringify(report)}`);
  const found = await recordsIn(files);
  const wanted = events.map((target, at) => `${at + 1} ${target}`);
  if (found.join() !== wanted.join())
    throw new Error(`${id} has ${found.length} events, and ${wanted.length} were committed: ${differs(found, wanted)}`);
}

async function recordsIn(files: ReturnType<typeof readOnlyFiles>): Promise<string[]> {
  const names = (await files.names('segments')).filter((name) => name.endsWith('.log')).toSorted();
  const found: string[] = [];
  for (const name of names) {
    const text = (await files.read(`segments/${name}`))!.toString();
    for (const line of text.split('\n').filter((one) => one !== '')) {
      const { source, source_seq, target } = JSON.parse(
        line.slice(line.indexOf('{'), line.lastIndexOf('}') + 1),
      ) as Record<string, unknown>;
      if (source === 'host') found.push(`${String(source_seq)} ${String(target)}`);
    }
  }
  return found;
}

function differs(found: readonly string[], wanted: readonly string[]): string {
  const at = wanted.findIndex((one, index) => found[index] !== one);
  const place = at === -1 ? wanted.length : at;
  return `${found[place] ?? 'nothing'} where ${wanted[place] ?? 'nothing'} should be`;
}
