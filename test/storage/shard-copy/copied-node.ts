/** A node of two shards over a log in memory, whose shards are copied: it stops, loses its stores, and starts. */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { UNHURRIED } from '#storage/backup-set/restore-set.ts';
import { shardPath, type Archive } from '#storage/archive.ts';
import type { LogEngine } from '#storage/log-engine/port.ts';
import type { LogSeal } from '#storage/log-seal/seal.ts';
import { bringBack, type BroughtBack } from '#storage/shard-copy/bring-back.ts';
import { engineJournals } from '#storage/engine-journals/engine-journals.ts';
import { publishEntries } from '#storage/log-history/publish.ts';
import { bringShardTo, type BroughtTo, type ShardAt } from '#storage/log-history/shard-at.ts';
import { forgetOld, goOn, keepCopy, rests, restOn, type Keeping } from '#storage/shard-copy/keep-copies.ts';
import type { CopyPlace } from '#storage/shard-copy/place.ts';
import { takeCopy, type MadeCopy } from '#storage/shard-copy/take-copy.ts';
import { durable, openOver, pause, rowsOf, settingsOf, write } from '#test/storage/engine-journals/kit.ts';
import { openAt, place as directory } from '#test/storage/place.ts';

export class CopiedNode {
  readonly engine: LogEngine;
  readonly place: CopyPlace | null;
  readonly dataDir: string;
  /** Null where log and copies are not sealed. */
  seal: LogSeal | null = null;
  /** Milliseconds since 1970. */
  now = (): number => Date.now();
  /** For how long entries that are let go are kept; null where they are not. */
  historyMs: number | null = null;
  /** How far apart copies are kept that no note names. */
  copyEveryMs = 0;
  pieceBytesMax = 1024;
  archive: Archive | null = null;

  constructor(engine: LogEngine, place: CopyPlace | null, dataDir: string) {
    this.engine = engine;
    this.place = place;
    this.dataDir = dataDir;
  }

  /** What each shard came back from. */
  async start(place = this.place): Promise<BroughtBack[]> {
    const brought: BroughtBack[] = [];
    for (const shard of [0, 1]) {
      const path = shardPath(this.dataDir, shard);
      const scratch = join(this.dataDir, 'shard-copies', `back-${shard}`);
      brought.push(await bringBack({ engine: this.engine, shard, path, scratch, place, seal: this.seal, pause }));
    }
    const journals = engineJournals(settingsOf(this.engine, { seal: this.seal, now: () => this.now() }));
    this.archive = await openOver(this.engine, this.dataDir, { journals });
    return brought;
  }

  async stop(): Promise<void> {
    await this.archive!.close();
    this.archive = null;
  }

  async write(shard: number, key: string, value: string | null): Promise<void> {
    const store = this.archive!.store(shard, 7);
    await durable(store, write(store, key, value));
  }

  rows(shard: number): Record<string, string> {
    return rowsOf(this.archive!.store(shard, 7));
  }

  /** Everything acknowledged is in LMDB, as it is a moment after the last write. */
  drain(): Promise<void> {
    return this.archive!.drain();
  }

  async take(shard: number, place = this.place!): Promise<MadeCopy | null> {
    const state = await this.engine.look(shard);
    return takeCopy({
      shard,
      atRest: this.archive!.atRest(shard),
      copyTo: (directory) => this.archive!.copyTo(shard, directory),
      newest: state.snapshots[0] ?? null,
      provesOld: rests(state),
      place,
      seal: this.seal,
      scratch: join(this.dataDir, 'shard-copies', `out-${shard}`),
      freeBytesMin: 0,
      fileBytes: 0,
      pace: UNHURRIED,
      now: () => this.now(),
    });
  }

  /** As main does for one shard; `engine` and `place` may fail under it. */
  async copy(shard: number, engine = this.engine, place = this.place!): Promise<MadeCopy | null> {
    const state = await engine.look(shard);
    const made = await this.take(shard, place);
    const keeping = this.keeping(engine, place);
    if (made === null) {
      await restOn(keeping, shard, state);
      await forgetOld(keeping, shard, state);
    } else await keepCopy(keeping, shard, made);
    return made;
  }

  /** As main does where the newest copy is new enough. */
  async goOn(shard: number): Promise<void> {
    await goOn(this.keeping(), shard, await this.engine.look(shard));
  }

  keeping(engine = this.engine, place = this.place!): Keeping {
    const { historyMs, seal } = this;
    if (historyMs === null) return { engine, place, pause };
    const publish: NonNullable<Keeping['history']>['publish'] = async (shard, upTo) => {
      const scratch = join(this.dataDir, 'shard-copies', `history-${shard}`);
      const bounds = { freeBytesMin: 0, readBytesMax: 512, pieceBytesMax: this.pieceBytesMax };
      await publishEntries({ engine, shard, upTo, place, seal, scratch, ...bounds, pause, pace: UNHURRIED });
    };
    return {
      engine,
      place,
      pause,
      history: { publish, fromMs: this.now() - historyMs, copyEveryMs: this.copyEveryMs },
    };
  }

  /** The rows of a shard at an instant, out of copies, pieces and the log. */
  async rowsAt(shard: number, untilMs: number, more: Partial<ShardAt> = {}): Promise<Record<string, string>> {
    const dataDir = directory();
    await this.bring(shard, untilMs, { ...more, path: shardPath(dataDir, shard) });
    const archive = await openAt(dataDir, { shards: [shard] });
    try {
      return rowsOf(archive.store(shard, 7));
    } finally {
      await archive.close();
    }
  }

  bring(shard: number, untilMs: number, more: Partial<ShardAt> & Pick<ShardAt, 'path'>): Promise<BroughtTo> {
    return bringShardTo({
      engine: this.engine,
      shard,
      place: this.place!,
      seal: this.seal,
      scratch: join(directory(), 'piece'),
      readBytesMax: 512,
      pause,
      untilMs,
      bounds: { gatherMax: 1000, putsMax: 100 },
      settle: () => Promise.resolve(),
      ...more,
    });
  }

  forget(shard: number): void {
    rmSync(shardPath(this.dataDir, shard), { recursive: true, force: true });
  }

  /** The store of a shard as it is now, for `putBack`. */
  keep(shard: number, into: string): void {
    cpSync(shardPath(this.dataDir, shard), into, { recursive: true });
  }

  putBack(shard: number, from: string): void {
    this.forget(shard);
    cpSync(from, shardPath(this.dataDir, shard), { recursive: true });
  }
}
