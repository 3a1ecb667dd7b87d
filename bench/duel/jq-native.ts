/** Expressions beside Debian's jq: the same program over the same lines, its own process, start included. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Program } from '#actors/kit/jq/program.ts';
import { limits } from '#config/limits.ts';
import { ratioOf, type Figure, type Pair } from '#bench/kit/figure.ts';
import { median } from '#bench/kit/stats.ts';

const PROGRAM = '[.data[]|select(.price>10)|{id,name}]';
const LINES = 20_000;
const OUTPUT_BYTES_MAX = 2 ** 28;

/** Version of Debian's jq; throws with how to mend it when there is none. */
export function jqVersion(): string {
  const { error, stdout } = spawnSync('jq', ['--version'], { encoding: 'utf8' });
  if (error !== undefined) throw new Error('jq is not installed: apt-get install jq');
  return stdout.trim();
}

/** Envelopes of twenty rows, one a line, each another. */
function envelopes(): string[] {
  return Array.from({ length: LINES }, (_, n) => {
    const data = Array.from({ length: 20 }, (_, id) => ({ id: `row${n}-${id}`, name: `name ${id}`, price: id }));
    return JSON.stringify({ data, count: data.length });
  });
}

function fast(lines: readonly string[]): string {
  const program = Program.compile(PROGRAM);
  const out: string[] = [];
  for (const line of lines) {
    const answer = program.answer(JSON.parse(line), limits.expressions.hostFuelMax);
    if (answer.kind === 'failed') throw new Error('the program should not fail');
    out.push(answer.text);
  }
  return `${out.join('\n')}\n`;
}

function native(file: string): string {
  const { status, stdout } = spawnSync('jq', ['-c', PROGRAM, file], { encoding: 'utf8', maxBuffer: OUTPUT_BYTES_MAX });
  if (status !== 0) throw new Error(`jq ended with ${String(status)}`);
  return stdout;
}

/** Both parse, run and write 20,000 envelopes; they must agree to the byte. */
export function measureJq(dataDir: string, pairs: number): Figure {
  const lines = envelopes();
  const file = join(dataDir, 'envelopes.jsonl');
  writeFileSync(file, lines.join('\n'));
  if (fast(lines) !== native(file)) throw new Error("jq and Skep's fast tier differ");
  const perSecond = (run: () => unknown): number => {
    const from = performance.now();
    run();
    return (LINES * 1000) / (performance.now() - from);
  };
  const measured: Pair[] = [];
  for (let i = 0; i < pairs; i++) {
    const value = i % 2 === 0 ? perSecond(() => fast(lines)) : Number.NaN;
    const ceiling = perSecond(() => native(file));
    measured.push({ ceiling, value: Number.isNaN(value) ? perSecond(() => fast(lines)) : value });
  }
  return {
    name: 'jq',
    unit: 'op/s',
    value: median(measured.map(({ value }) => value)),
    ceiling: median(measured.map(({ ceiling }) => ceiling)),
    ratio: ratioOf(measured),
    pairs: measured,
    errors: 0,
    rival: { name: 'native jq, one process for all lines' },
  };
}
