/** How far an environment has followed: the newest journal record that its last commit holds, written in that same commit. */
import type { Environment, Write } from './environment.ts';
import { decodeRecord, encodeRecord } from './record.ts';
import { u32 } from './key.ts';
import { FIRST_CHAIN } from './log-engine/chain.ts';

/** Above every tenant's prefix. */
export const META_PREFIX = u32(0xffffffff);
const APPLIED = `${META_PREFIX}applied`;
const REACH = `${META_PREFIX}log`;
const VERSION = 1;

export interface Applied {
  readonly epoch: number;
  readonly number: number;
}

/** Zeros when nothing was ever applied. Throws Corruption when the value does not fit its CRC. */
export function readApplied(environment: Environment): Applied {
  const value = environment.get(APPLIED);
  return value === undefined ? { epoch: 0, number: 0 } : (decodeRecord(value, 'applied') as Applied);
}

function appliedWrite(applied: Applied): Write {
  return [APPLIED, encodeRecord(VERSION, applied)];
}

/** An entry of a log elsewhere, by its position and the hash of the log up to it. */
export interface LogPlace {
  readonly seq: number;
  readonly chain: string;
}

/** How far an environment is in a log elsewhere. Positions are the log's, and one entry holds many records. */
export interface LogReach {
  /** All entries up to this one are wholly here. */
  readonly whole: LogPlace;
  /** The last entry of which something may be here: a crash in the middle of a sweep leaves it behind `whole`. */
  readonly through: LogPlace;
}

/** Before the first entry. */
export const NOWHERE: LogReach = {
  whole: { seq: 0, chain: FIRST_CHAIN },
  through: { seq: 0, chain: FIRST_CHAIN },
};

/** Null where the environment never followed a log elsewhere. Throws Corruption when the value does not fit its CRC. */
export function readReach(environment: Pick<Environment, 'get'>): LogReach | null {
  const value = environment.get(REACH);
  return value === undefined ? null : (decodeRecord(value, 'log') as LogReach);
}

/** What a sweep writes besides what it brings: in its first commit, unless that is its last one, and in its last one. */
export interface SweepMarks {
  readonly first: readonly Write[];
  readonly last: readonly Write[];
}

/** Of records in files of this machine. */
export function fileMarks(applied: Applied): SweepMarks {
  return { first: [], last: [appliedWrite(applied)] };
}

/** Of records in a log elsewhere. `before`: how far the environment is when the sweep begins. */
export function logMarks(applied: Applied, before: LogReach, reach: LogReach): SweepMarks {
  const through = before.through.seq > reach.through.seq ? before.through : reach.through;
  return {
    first: [reachWrite({ whole: before.whole, through })],
    last: [appliedWrite(applied), reachWrite({ whole: reach.whole, through })],
  };
}

function reachWrite({ whole, through }: LogReach): Write {
  const [of, to] = [whole, through].map(({ seq, chain }) => ({ seq, chain }));
  return [REACH, encodeRecord(VERSION, { whole: of, through: to })];
}

/** Of an environment that followed a log elsewhere to its end, and goes on with files: their first epoch and number are new to it. */
export function forgetMarks(): readonly Write[] {
  return [
    [APPLIED, null],
    [REACH, null],
  ];
}
