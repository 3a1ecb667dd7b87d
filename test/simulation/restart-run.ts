/**
 * Two falls, one behind the other, at every pair of places: a process is killed while it writes, and the power goes while the next one takes over what only the
 * kernel has. What the third finds is whole or not there. `--control` puts one of the planted faults in.
 */
import { hash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Random } from '#test/kit/random.ts';
import { RESTART_CONTROLS } from './controls.ts';
import { standIn } from '#test/simulation/instead/hooks.ts';
import type { Plan } from '#test/simulation/machine/machine.ts';

const { values } = parseArgs({ options: { control: { type: 'string' } } });
standIn(values.control === undefined ? null : RESTART_CONTROLS[values.control]!.plant!);
const { openArchive } = await import('#storage/archive.ts');
const { settleDirectory } = await import('#storage/directory.ts');
const { findJournals, nextEpoch, retireJournals } = await import('#storage/journal/directories.ts');
const { openFileVault } = await import('#storage/vault/file.ts');
const { DirectoryBlobs } = await import('#storage/blob/directory.ts');
const { openFiles, readOnlyFiles } = await import('#storage/segment/files.ts');
const { openSlotFile } = await import('#storage/slot-file.ts');
const { forgetDescriptors } = await import('#test/simulation/instead/descriptors.ts');
const { existsSync } = await import('#test/simulation/instead/fs.ts');
const { Machine, setMachine } = await import('#test/simulation/machine/machine.ts');
const { World } = await import('#test/simulation/machine/world.ts');

const DATA_DIR = '/sim/data';
const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'];
const KILLS = 40;
const CUTS = 24;
const NESTED = `${DATA_DIR}/audit/tenant/acme`;

type Machines = InstanceType<typeof Machine>;

/** One process: it ends when `run` does, or where the plan says; gives whether it came to its end. */
async function live(machine: Machines, plan: Plan | null, run: () => Promise<void> | void): Promise<boolean> {
  const { world } = machine;
  const room = machine.start('host');
  let isDone = false;
  machine.plan(plan);
  world.after(0, room, 'begin', () => {
    Promise.resolve()
      .then(run)
      .then(
        () => (isDone = true),
        (error: unknown) => world.fail(error as Error),
      );
  });
  await world.run(() => isDone || !room.alive);
  const isWhole = room.alive;
  machine.plan(null);
  if (isWhole) machine.fall({ kind: 'kill' });
  return isWhole;
}

const onFatal = (error: Error): never => {
  throw error;
};

async function open() {
  const replay = findJournals(DATA_DIR);
  const archive = await openArchive({
    dataDir: DATA_DIR,
    shards: [0],
    epoch: nextEpoch(DATA_DIR),
    name: 'host-0',
    replay,
    onFatal,
    freeBytes: () => 1e15,
    limits: { segmentBytes: 4096, commitPutsMax: 2, overlayEntriesMax: 100, freeBytesMin: 1 },
  });
  retireJournals(replay, false);
  return archive.store(0, 1);
}

/** A record of several rows, in a journal that is replayed by several commits. */
async function write(): Promise<void> {
  const store = await open();
  const turn = store.begin();
  for (const key of KEYS) turn.put(key, Buffer.from(key));
  turn.commit();
  await new Promise<void>((resolve) => store.whenDurable(turn.newest, resolve));
}

async function judge(): Promise<void> {
  const turn = (await open()).begin();
  const found = KEYS.filter((key) => turn.get(key) !== undefined);
  turn.abort();
  if (found.length % KEYS.length !== 0) throw new Error(`half of a record is there: ${found.join()}`);
}

const makes = (): void => void settleDirectory(NESTED);

const VAULT = `${DATA_DIR}/vault/vault.json`;

async function writeSecret(path = VAULT): Promise<void> {
  await (await openFileVault(path, { onFatal })).commit([{ path: 'a', value: Buffer.from('a') }]);
}

/** A vault's file that a killed process has renamed: what the next one reads in it, a third finds after a loss of power. */
async function triedVault(machine: Machines, kill: number): Promise<void> {
  let seen = false;
  const look = async (): Promise<void> => {
    const found = (await (await openFileVault(VAULT, { onFatal })).get('a')) !== undefined;
    if (seen && !found) throw new Error('a secret that was read is not there');
    seen = found;
  };
  await live(machine, { afterChanges: kill, fall: { kind: 'kill' } }, () => writeSecret());
  await live(machine, null, look);
  machine.fall({ kind: 'power', style: 'least' });
  await live(machine, null, look);
}

const LOG = `${DATA_DIR}/audit/log`;
const blobs = () => new DirectoryBlobs(`${DATA_DIR}/content/media`);
const BYTES = Buffer.from('bytes');
const SHA256 = hash('sha256', BYTES, 'hex');

/** What processes write into directories that are made for it, and whether it is there. */
const KEPT: Readonly<Record<string, readonly [write: () => Promise<void>, isThere: () => Promise<boolean>]>> = {
  secret: [
    () => writeSecret(`${DATA_DIR}/another/vault.json`),
    async () => (await (await openFileVault(`${DATA_DIR}/another/vault.json`, { onFatal })).get('a')) !== undefined,
  ],
  segment: [
    async () => {
      const file = await openFiles(LOG).open('segments/0.log');
      await file.write(BYTES, 0);
      await file.sync();
      await file.close();
    },
    async () => (await readOnlyFiles(LOG).read('segments/0.log'))?.equals(BYTES) === true,
  ],
  tile: [
    () => openFiles(LOG).save([['tile/0/000.p/1', BYTES]]),
    async () => (await readOnlyFiles(LOG).read('tile/0/000.p/1')) !== null,
  ],
  blob: [
    async () => {
      const upload = await blobs().begin();
      await upload.write(BYTES);
      await upload.seal();
      await upload.publish();
    },
    async () => (await blobs().size(SHA256)) !== null,
  ],
  note: [() => blobs().notes.write('a', 'note'), async () => (await blobs().notes.read('a')) === 'note'],
  number: [
    async () => {
      const file = openSlotFile(`${DATA_DIR}/outside/mark`);
      file.write(7);
      await file.sync();
      file.close();
    },
    () => {
      const file = openSlotFile(`${DATA_DIR}/outside/mark`);
      file.close();
      return Promise.resolve(file.found === 7);
    },
  ],
};

/** A process that writes is killed, perhaps between the making of a directory and the sync of its name; what the next one has written outlasts a loss of power. */
async function triedKept(machine: Machines, kill: number): Promise<void> {
  for (const [name, [write, isThere]] of Object.entries(KEPT)) {
    await live(machine, { afterChanges: kill, fall: { kind: 'kill' } }, write);
    await live(machine, null, write);
    machine.fall({ kind: 'power', style: 'least' });
    await live(machine, null, async () => {
      if (!(await isThere())) throw new Error(`a ${name} that was written is not there`);
    });
  }
}

async function tried(kill: number, cut: number): Promise<void> {
  const machine = new Machine(new World(kill * CUTS + cut), new Random(1));
  setMachine(machine);
  machine.disk.install(DATA_DIR);
  await live(machine, { afterChanges: kill, fall: { kind: 'kill' } }, write);
  await live(machine, { afterChanges: cut, fall: { kind: 'power', style: 'least' } }, async () => void (await open()));
  await live(machine, null, judge);
  // A directory whose maker was killed, and which its next owner takes for durable.
  await live(machine, { afterChanges: kill, fall: { kind: 'kill' } }, makes);
  const isSettled = await live(machine, null, makes);
  machine.fall({ kind: 'power', style: 'least' });
  if (isSettled && !existsSync(NESTED)) throw new Error('a directory that was settled is not there');
  await triedVault(machine, kill);
  if (cut === 1) await triedKept(machine, kill);
  setMachine(null);
  forgetDescriptors();
}

for (let kill = 1; kill <= KILLS; kill++) for (let cut = 1; cut <= CUTS; cut++) await tried(kill, cut);
process.stdout.write(`${KILLS * CUTS} pairs of falls\n`);
