/** What lies on the disk of a vault that is closed: no value as it was given. */
import type { Inode, SimulatedDisk } from '#test/simulation/machine/disk.ts';
import { STORE_DIR } from './keeper-room.ts';
import type { VaultRunSettings } from './settings.ts';

/** Throws where a value, or a share, can be read. */
export function judgeDisk(disk: SimulatedDisk, { backend }: VaultRunSettings, values: ReadonlySet<string>): void {
  const all = backend === 'file' ? entriesOf(disk) : cellsOf(disk);
  if (values.size > 0 && all.length === 0) throw new Error('the store of a vault that was written to is empty');
  for (const bytes of [...all, ...bytesOf(disk.root)]) {
    const text = bytes.toString('latin1');
    for (const value of values) if (text.includes(value)) throw new Error(`${value} lies on the disk as it is`);
  }
}

function entriesOf(disk: SimulatedDisk): Buffer[] {
  const text = disk.find(`${STORE_DIR}/vault.json`)?.bytes?.all.toString('latin1').split('\n')[0];
  if (text === undefined) return [];
  const { entries } = JSON.parse(text) as { readonly entries: readonly (readonly [string, number, string])[] };
  return entries.map(([, , value]) => Buffer.from(value, 'base64'));
}

function cellsOf(disk: SimulatedDisk): Buffer[] {
  const cells = disk.environments.get(STORE_DIR);
  return cells === undefined ? [] : [...cells.range('', '\x7f', false)].map(({ value }) => Buffer.from(value));
}

function bytesOf({ bytes, entries }: Inode): Buffer[] {
  if (bytes !== null) return [Buffer.from(bytes.all)];
  return [...entries!.values()].flatMap((entry) => bytesOf(entry));
}
