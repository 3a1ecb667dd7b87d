/** A disk that fails: nothing is acknowledged after the first fault, the process ends, what was acknowledged is there. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { place } from '#test/storage/place.ts';
import { acknowledged, examine, startVictim } from './storage-victim.ts';

const SOURCE = fileURLToPath(new URL('./storage-fault.c', import.meta.url));
const canCompile = process.platform === 'linux' && spawnSync('gcc', ['--version']).status === 0;
if (!canCompile) console.warn('SKIPPED: the disk fault tests need Linux and gcc');

/** Compiles the library that stands between the process and libc. */
function library(directory: string): string {
  const path = join(directory, 'fault.so');
  const { status, stderr } = spawnSync('gcc', ['-shared', '-fPIC', '-O2', '-o', path, SOURCE, '-ldl']);
  if (status !== 0) throw new Error(`gcc: ${stderr.toString()}`);
  return path;
}

const faults = [
  { name: 'a failed sync of the journal', match: '.segment', call: 'sync' },
  { name: 'a failed write of the journal', match: '.segment', call: 'write' },
  { name: 'a failed sync of LMDB', match: 'data.mdb', call: 'sync' },
];

describe.skipIf(!canCompile && process.env.CI !== 'true')('the first fault ends everything:', () => {
  it.each(faults)('$name', { timeout: 60_000 }, async ({ match, call }) => {
    const dataDir = place();
    const tools = place();
    const env = {
      LD_PRELOAD: library(tools),
      SKEP_FAULT_MATCH: match,
      SKEP_FAULT_CALL: call,
      SKEP_FAULT_SWITCH: join(tools, 'on'),
    };
    // One turn in flight: an acknowledgement behind the fault would be of the record that met it.
    const victim = startVictim(dataDir, 1, env);
    await victim.printed('ack', 200);
    writeFileSync(env.SKEP_FAULT_SWITCH, '');
    expect(await victim.ended).toBe(70);
    const fault = victim.lines.indexOf('fault');
    const fatal = victim.lines.indexOf('fatal');
    expect(fault).toBeGreaterThan(0);
    expect(fatal).toBeGreaterThan(fault);
    expect(victim.lines.slice(fatal)).toEqual(['fatal']);
    if (match === '.segment') expect(acknowledged(victim.lines.slice(fault))).toEqual([]);
    await examine(dataDir, acknowledged(victim.lines));
  });
});
