/**
 * What a disk has of a recording when the power goes: all that is durable, and a part of the rest.
 *
 * - Of a file's bytes, each sector of 512 bytes is in any state that it had since the last sync: a later write may be there without an
 *   earlier one, and a write may be torn between sectors, but not within one.
 * - Sizes of a file come in order: bytes behind the size that is kept are lost, and bytes below it that are not kept are zeros.
 * - Changes of names come in order within a directory; those of two directories may come in any order.
 */
import type { Random } from '#test/kit/random.ts';
import type { Bytes, Change } from './bytes.ts';
import { applyNames, type Disk, type File, type NameChange } from './disk.ts';

const SECTOR_BYTES = 512;

/** `least`: nothing but what is durable. `most`: everything, as after the end of the process alone. */
export type Style = 'least' | 'most' | 'mixed';

/** The names of every directory that the image has, by its id. */
export function pickNames(disk: Disk, style: Style, random: Random): Map<number, Map<string, number>> {
  const names = new Map([...disk.durable].map(([id, durable]) => [id, new Map(durable)]));
  const ended = new Set<number>();
  const isOrdered = random.chance(0.3);
  for (const change of disk.pending) {
    const of = directoriesOf(change);
    const ends = style === 'least' || (style === 'mixed' && random.chance(0.25));
    if (of.some((id) => ended.has(id)) || ends) {
      // Where one journal holds all changes, none is there that came after a lost one.
      if (isOrdered) break;
      for (const id of of) ended.add(id);
      continue;
    }
    applyNames(names, change);
  }
  return names;
}

const directoriesOf = ({ names }: NameChange): number[] => names.map(({ directory }) => directory);

/** The bytes of a file that the image has. */
export function pickBytes({ durable, pending }: File, style: Style, random: Random): Buffer {
  if (pending.length === 0) return durable.all;
  const changes = keptSizes(pending, style, random);
  const seen = durable.copy();
  const kept = durable.copy();
  const whole = random.chance(0.5);
  let least = durable.size;
  for (const change of changes) {
    seen.apply(change);
    if (change.kind === 'size') {
      kept.resize(change.size);
      least = change.size;
      continue;
    }
    if (change.is === 'durable') least = Math.max(least, change.at + change.bytes.length);
    keepSectors(seen, kept, change, change.is === 'durable' ? 1 : partOf(style, whole, random), random);
  }
  kept.resize(sizeOf(changes, least, kept.size, seen.size, style, random));
  return kept.all;
}

/** How much of a write is there that is not durable. `isWhole`: all of it or nothing. */
function partOf(style: Style, isWhole: boolean, random: Random): number {
  if (style !== 'mixed') return style === 'most' ? 1 : 0;
  if (!isWhole) return random.next();
  return random.chance(0.5) ? 1 : 0;
}

/** The changes up to the first shrinking that is lost: what was written behind it lies in blocks that no size leads to. */
function keptSizes(pending: readonly Change[], style: Style, random: Random): readonly Change[] {
  if (style === 'most') return pending;
  const lost = pending.findIndex(({ kind }) => kind === 'size' && (style === 'least' || random.chance(0.3)));
  if (lost === -1) return pending;
  const behind = pending.slice(lost).filter((change) => change.kind === 'write' && change.is === 'durable');
  return [...pending.slice(0, lost), ...behind];
}

function keepSectors(seen: Bytes, kept: Bytes, change: Change & { kind: 'write' }, part: number, random: Random): void {
  const end = change.at + change.bytes.length;
  for (let at = change.at - (change.at % SECTOR_BYTES); at < end; at += SECTOR_BYTES) {
    if (part < 1 && !random.chance(part)) continue;
    kept.write(seen.all.subarray(at, Math.min(at + SECTOR_BYTES, seen.size)), at);
  }
}

/** One of the sizes that the file had since `least`, or that of what is kept. */
function sizeOf(
  changes: readonly Change[],
  least: number,
  kept: number,
  seen: number,
  style: Style,
  random: Random,
): number {
  if (style === 'least') return least;
  if (style === 'most' || random.chance(0.4)) return seen;
  const ends = changes.flatMap((change) => (change.kind === 'write' ? [change.at + change.bytes.length] : []));
  const size = random.pick([least, Math.min(kept, seen), ...ends]);
  return Math.min(seen, Math.max(least, size));
}
