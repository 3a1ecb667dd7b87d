/** Archives over a log engine, and rows in them. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openArchive, type Archive, type ArchiveOptions } from '#storage/archive.ts';
import { engineJournals, type EngineJournalsOptions } from '#storage/engine-journals/engine-journals.ts';
import type { LogEngine } from '#storage/log-engine/port.ts';
import type { LogSeal } from '#storage/log-seal/seal.ts';
import type { Store } from '#storage/port.ts';
import { bytes, text } from '#test/storage/place.ts';

export const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

export function settingsOf(engine: LogEngine, more: Partial<EngineJournalsOptions> = {}): EngineJournalsOptions {
  return {
    engine,
    owner: 'test',
    bounds: { gatherMax: 1000, putsMax: 100 },
    readBytesMax: 1024 * 1024,
    opensMax: 2,
    waitingBytesMax: 16 * 1024 * 1024,
    pause,
    now: () => Date.now(),
    ...more,
  };
}

/** Opens shards 0 and 1 of `dataDir`. A fault fails the test. */
export function openOver(
  engine: LogEngine,
  dataDir: string,
  more: Partial<ArchiveOptions> & { readonly seal?: LogSeal | null } = {},
): Promise<Archive> {
  return openArchive({
    dataDir,
    shards: [0, 1],
    epoch: 0,
    name: 'test',
    replay: [],
    journals: engineJournals(settingsOf(engine, { seal: more.seal })),
    onFatal: (error) => {
      throw error;
    },
    ...more,
    limits: { freeBytesMin: 1, ...more.limits },
  });
}

export const forgetShards = (dataDir: string): void => rmSync(join(dataDir, 'shards'), { recursive: true });

export function write(store: Store, key: string, value: string | null): number {
  const turn = store.begin();
  if (value === null) turn.del(key);
  else turn.put(key, bytes(value));
  turn.commit();
  return turn.newest;
}

export const durable = (store: Store, number: number): Promise<void> =>
  new Promise((resolve) => store.whenDurable(number, resolve));

export function rowsOf(store: Store): Record<string, string> {
  const turn = store.begin();
  try {
    return Object.fromEntries(Array.from(turn.range('', '\xff'), ({ key, value }) => [key, text(value)!]));
  } finally {
    turn.abort();
  }
}

/** The engine with other verbs or bounds. */
export function changed(engine: LogEngine, changes: Partial<LogEngine>): LogEngine {
  return new Proxy(engine, {
    get: (target, name) => {
      const value: unknown = Reflect.get(changes, name) ?? Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
