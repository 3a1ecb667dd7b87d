/** The parts of a simulated machine: its files beside real ones, what a loss of power leaves, and the order of events. */
import * as real from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { Random } from '#test/kit/random.ts';
import { rounds } from '#test/kit/rounds.ts';
import { forgetDescriptors } from '#test/simulation/instead/descriptors.ts';
import * as simulated from '#test/simulation/instead/fs.ts';
import { Machine, setMachine } from '#test/simulation/machine/machine.ts';
import { EventQueue, type Event } from '#test/simulation/machine/event-queue.ts';
import { Room } from '#test/simulation/machine/room.ts';
import { World } from '#test/simulation/machine/world.ts';

const SEEDS = rounds({ suite: 30, ci: 300 });
const STEPS = 60;
const SECTOR_BYTES = 512;

let machine: Machine;
beforeEach(() => {
  machine = new Machine(new World(1), new Random(1));
  setMachine(machine);
});
afterEach(() => {
  setMachine(null);
  forgetDescriptors();
});

type Fs = Pick<
  typeof real,
  | 'existsSync'
  | 'mkdirSync'
  | 'openSync'
  | 'writeSync'
  | 'closeSync'
  | 'readFileSync'
  | 'readdirSync'
  | 'renameSync'
  | 'rmSync'
  | 'ftruncateSync'
  | 'writeFileSync'
  | 'statSync'
>;

/** A call on either file system; the code where it refuses. */
function outcome(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}

/** One step, by the same dice on either. */
function step(fs: Fs, root: string, seed: number): unknown {
  const random = new Random(seed);
  const path = (): string => join(root, random.pick(['', 'a', 'b']), random.pick(['x', 'y', 'z']));
  const dice = random.below(9);
  if (dice === 0) return outcome(() => fs.mkdirSync(join(root, random.pick(['a', 'b']))));
  if (dice === 1) return outcome(() => fs.existsSync(path()));
  if (dice === 2) return outcome(() => fs.readdirSync(join(root, random.pick(['', 'a', 'b', 'a/x']))).toSorted());
  if (dice === 3) return outcome(() => fs.readFileSync(path(), 'latin1'));
  if (dice === 4) return outcome(() => fs.writeFileSync(path(), 'w'.repeat(random.below(2000)), { flush: true }));
  if (dice === 5) return outcome(() => fs.rmSync(path(), { force: random.chance(0.5), recursive: true }));
  if (dice === 6) return outcome(() => fs.statSync(path()).size);
  if (dice === 7) {
    const [from, to] = [path(), path()];
    return outcome(() => fs.renameSync(from, to));
  }
  return outcome(() => {
    const fd = fs.openSync(path(), random.pick(['r+', 'w', 'wx+', 'a+']));
    const written = fs.writeSync(
      fd,
      Buffer.alloc(random.below(1500), random.pick(['p', 'q'])),
      0,
      null,
      random.below(1000),
    );
    if (random.chance(0.3)) fs.ftruncateSync(fd, random.below(800));
    fs.closeSync(fd);
    return written;
  });
}

test(`files do what real ones do (${SEEDS} seeds)`, () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const root = real.mkdtempSync(join(tmpdir(), 'skep-simulated-'));
    onTestFinished(() => real.rmSync(root, { recursive: true, force: true }));
    simulated.mkdirSync(`/sim/${seed}`);
    for (let at = 0; at < STEPS; at++) {
      const dice = seed * 1000 + at;
      expect(step(simulated as unknown as Fs, `/sim/${seed}`, dice), `seed ${seed}, step ${at}`).toEqual(
        step(real, root, dice),
      );
    }
  }
});

describe('when the power goes', () => {
  const write = (text: string, at = 0): number => {
    const fd = simulated.openSync('/sim/file', simulated.existsSync('/sim/file') ? 'r+' : 'w') as number;
    simulated.writeSync(fd, Buffer.from(text), 0, text.length, at);
    return fd;
  };
  const syncRoot = (): void => simulated.fsyncSync(simulated.openSync('/sim'));
  const cut = (style: 'least' | 'most' | 'mixed'): string | null => {
    machine.fall({ kind: 'power', style });
    return simulated.existsSync('/sim/file') ? (simulated.readFileSync('/sim/file', 'latin1') as string) : null;
  };

  test('a synced file whose name is not synced may be gone', () => {
    simulated.fsyncSync(write('bytes'));
    expect(cut('least')).toBeNull();
  });

  test('a synced name alone brings no bytes', () => {
    write('bytes');
    syncRoot();
    expect(cut('least')).toBe('');
  });

  test('what was synced is there, and of the rest any sectors', () => {
    const kept = 'k'.repeat(2 * SECTOR_BYTES);
    const seen = new Set<string>();
    for (let seed = 1; seed <= 200; seed++) {
      machine = new Machine(new World(1), new Random(seed));
      setMachine(machine);
      simulated.fsyncSync(write(kept));
      syncRoot();
      write('n'.repeat(3 * SECTOR_BYTES), kept.length);
      const found = cut('mixed')!;
      expect(found.startsWith(kept)).toBe(true);
      seen.add(
        found.slice(kept.length).replaceAll('n'.repeat(SECTOR_BYTES), 'N').replaceAll('\0'.repeat(SECTOR_BYTES), '0'),
      );
    }
    // Lost, whole, and with holes before what came.
    for (const tail of ['', 'NNN', '0N0', 'N0N', '00N']) expect([...seen]).toContain(tail);
  });

  test('the end of the process alone loses nothing, and makes nothing durable', () => {
    write('bytes');
    machine.fall({ kind: 'kill' });
    expect(simulated.readFileSync('/sim/file', 'latin1')).toBe('bytes');
    expect(cut('least')).toBeNull();
  });

  test('what code does behind the fall reaches nothing', async () => {
    const room = machine.start('room');
    machine.plan({ afterChanges: 2, fall: { kind: 'kill' } });
    machine.world.after(0, room, 'writes', () => {
      for (const name of ['a', 'b', 'c']) simulated.mkdirSync(`/sim/${name}`);
      machine.start('heir');
    });
    await machine.world.run(() => !room.alive);
    expect(simulated.readdirSync('/sim')).toEqual(['a']);
    expect(machine.rooms.size).toBe(0);
  });
});

test('events come by their time, and those of one time as they were added', () => {
  const random = new Random(5);
  const room = new Room('room');
  for (let round = 0; round < SEEDS; round++) {
    const queue = new EventQueue();
    const events = Array.from({ length: 50 }, (_, no): Event => ({
      atMs: random.below(10),
      no,
      room,
      line: '',
      act: null,
      run: () => undefined,
    }));
    for (const event of events) queue.push(event);
    const taken = Array.from(events, () => queue.pop()!);
    expect(taken).toEqual(events.toSorted((a, b) => a.atMs - b.atMs || a.no - b.no));
    expect(queue.pop()).toBeUndefined();
  }
});
