/** Runs the tests that must notice a planted bug, in a copy of the project that has it. */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '#runtime/place.ts';
import { skepVersion } from '#runtime/version.ts';
import { PLANTS, type Plant } from './plants.ts';

export interface Found {
  readonly name: string;
  readonly what: string;
  /** The tests that failed, as `<file>: <test>`; none where the bug was not noticed. */
  readonly by: readonly string[];
  readonly tests: number;
  /** Until the test files had ended. */
  readonly seconds: number;
}

/** What was found of a release, as it lies on the disk. */
export interface PlantedRecord {
  readonly release: string;
  readonly found: readonly Found[];
}

/** Of a test whose title has its seed, so that two runs compare. */
const SEED = / \(seed \d+\)/;

/** The text of a file with the bug in it. Throws where the place is not there once. */
export function planted({ file, find, put }: Pick<Plant, 'file' | 'find' | 'put'>, text: string): string {
  if (text.split(find).length !== 2) throw new Error(`${file} has not once: ${find}`);
  return text.replace(find, () => put);
}

/** A copy of all files that git tracks, with the dependencies of this one. The caller removes it. */
export function copyOfProject(): string {
  const copy = mkdtempSync(join(tmpdir(), 'skep-planted-'));
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 });
  for (const file of files.split('\0').filter((path) => path !== '')) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(ROOT, file), join(copy, file));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

export async function look(copy: string, name: string, plant: Plant): Promise<Found> {
  const path = join(copy, plant.file);
  const sound = readFileSync(path, 'utf8');
  writeFileSync(path, planted(plant, sound));
  const began = performance.now();
  try {
    const output = await testsOf(copy, plant.foundBy);
    const by = output
      .split('\n')
      .flatMap((line) => /^failed: (?<test>.*?\.test\.ts: .*)$/.exec(line)?.groups?.['test'] ?? [])
      .map((test) => test.replace(SEED, '').slice(0, 160));
    const [, passed = '0', failed = '0'] = /^(\d+) passed, (\d+) failed$/m.exec(output) ?? [];
    const seconds = Math.round((performance.now() - began) / 100) / 10;
    return { name, what: plant.what, by, tests: Number(passed) + Number(failed), seconds };
  } finally {
    writeFileSync(path, sound);
  }
}

function testsOf(copy: string, files: readonly string[]): Promise<string> {
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs');
  const child = spawn(process.execPath, [vitest, 'run', ...files], { cwd: copy, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => void (output += text));
  return new Promise((resolve) => child.on('close', () => resolve(output)));
}

/** Removes a copy. */
export const removeCopy = (copy: string): void => rmSync(copy, { recursive: true, force: true });

/** The record in a file with what a run found in place of what it knew of the same bugs, in the order of the plants; of another release nothing is kept. */
export function recordText(file: string, run: readonly Found[]): string {
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as PlantedRecord) : null;
  const release = skepVersion();
  const all = [...run, ...(known?.release === release ? known.found : [])];
  const found = Object.keys(PLANTS).flatMap((name) => all.find((one) => one.name === name) ?? []);
  return `${JSON.stringify({ release, found } satisfies PlantedRecord, null, 2)}\n`;
}
