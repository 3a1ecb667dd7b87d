/**
 * Opens shards of a stopped data directory for the `storage` verbs, in a separate process: LMDB trusts its pages, and damaged ones may end the
 * process that reads them. Started by shard-process.ts: `<verb> <dir> <shards, with commas> <options as JSON>`.
 */
import { writeSync } from 'node:fs';
import { CONTROL_ENTRY } from '#runtime/control-plane.ts';
import { forbidCoreDumps } from '#runtime/threads/no-core-dump.ts';
import { readTenants } from '#actors/identity/store.ts';
import { checkEntities, readerOf } from '#actors/engine/integrity/store.ts';
import { lookAtShard } from '#storage/check.ts';
import { dumpShard } from '#storage/dump.ts';
import { isPageDamage } from '#storage/fault.ts';
import { giveUpRecords } from '#storage/give-up.ts';
import { tenantLookup, withShard } from '#storage/inspect.ts';
import { u32 } from '#storage/key.ts';
import { repairShard } from '#storage/repair.ts';
import { ANSWERS_FD } from './shard-work.ts';
import type { PlacedTenant, ShardAnswers, ShardLine, ShardVerb, WorkOptions } from './shard-work.ts';

type Work = { readonly [V in ShardVerb]: (dir: string, no: number, options: WorkOptions) => Promise<ShardAnswers[V]> };

/** Lines of a dump are collected to this length before they are written. */
const DUMP_CHARS = 64 * 1024;

const WORK: Work = {
  check: (dir, no, { withEntities }) => lookAtShard(dir, no, withEntities === true ? checkEntities : null),
  repair: (dir, no, { dropRows }) => repairShard(dir, no, checkEntities, { dropRows: dropRows === true }),
  dump: printShard,
  tenants: placedTenants,
  giveUp: giveUpRecords,
};

async function printShard(dir: string, no: number): Promise<null> {
  let text = '';
  const print = (): void => {
    writeAll(1, text);
    text = '';
  };
  try {
    await dumpShard(dir, no, (line) => {
      text += `${line}\n`;
      if (text.length >= DUMP_CHARS) print();
    });
  } finally {
    print();
  }
  return null;
}

function placedTenants(dir: string, no: number): Promise<PlacedTenant[]> {
  const control = `${u32(CONTROL_ENTRY.no)}\0`;
  return withShard(dir, no, (environment) => {
    const reader = readerOf(tenantLookup(environment, control));
    return readTenants(reader).map(({ key, shard }) => ({ key, shard }));
  });
}

/** A blocking stream: what was written before a crash arrives. */
function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
}

async function lineOf<V extends ShardVerb>(
  verb: V,
  dir: string,
  no: number,
  options: WorkOptions,
): Promise<ShardLine<V>> {
  try {
    return { answer: await WORK[verb](dir, no, options) };
  } catch (error) {
    return { error: { what: (error as Error).message, pages: isPageDamage(error) } };
  }
}

const [verb, dir, shards, options] = process.argv.slice(2) as [ShardVerb, string, string, string];
await forbidCoreDumps();
for (const no of shards.split(',').map(Number)) {
  const line = await lineOf(verb, dir, no, JSON.parse(options) as WorkOptions);
  writeAll(ANSWERS_FD, `${JSON.stringify(line)}\n`);
}
