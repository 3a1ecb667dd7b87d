/** How far an environment has followed: the newest journal record that its last commit holds, written in that same commit. */
import type { Environment, Write } from './environment.ts';
import { decodeRecord, encodeRecord } from './record.ts';
import { u32 } from './key.ts';

/** Above every tenant's prefix. */
export const META_PREFIX = u32(0xffffffff);
const APPLIED = `${META_PREFIX}applied`;
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

export function appliedWrite(applied: Applied): Write {
  return [APPLIED, encodeRecord(VERSION, applied)];
}
