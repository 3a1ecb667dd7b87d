/** What no log takes, whatever the engine. */
import { FIRST_CHAIN } from './chain.ts';
import type { LogEntry } from './port.ts';

/** Throws RangeError: a shard twice, a position, epoch or body that cannot be. */
export function checkEntries(entries: readonly LogEntry[], entryBytesMax: number): void {
  if (new Set(entries.map(({ shard }) => shard)).size !== entries.length)
    throw new RangeError('two entries of one shard in one append');
  for (const entry of entries) checkEntry(entry, entryBytesMax);
}

function checkEntry({ shard, epoch, seq, confirmed, chain, body }: LogEntry, entryBytesMax: number): void {
  const say = (what: string): never => {
    throw new RangeError(`shard ${shard}, entry ${seq}: ${what}`);
  };
  if (!Number.isSafeInteger(seq) || seq < 1) say('positions begin at 1');
  if (!Number.isSafeInteger(epoch) || epoch < 1) say('an epoch comes from a claim');
  if (confirmed < 0 || confirmed >= seq) say(`${confirmed} cannot be confirmed before it`);
  if (chain.length !== FIRST_CHAIN.length) say('its chain is no chain');
  if (body.length > entryBytesMax) say(`${body.length} bytes, at most ${entryBytesMax}`);
}
