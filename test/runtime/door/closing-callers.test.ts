/** No caller whose connection was made loses its request when a door closes: it is answered, or finds that nothing listens. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FRESH_CALLERS, type Told } from './fresh-callers.ts';
import { Stage, tellLater } from './stage.ts';

const ROUNDS = 4;
const CALLERS_MS = 150;

/** What callers met at a port until nothing listened there. `during`: once they have begun. */
async function callersAt(port: number, isTls: boolean, during: () => Promise<void>): Promise<Told> {
  const args = [FRESH_CALLERS, String(port), ...(isTls ? ['tls'] : [])];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  const begun = new Promise<void>((resolve) => {
    child.stdout.on('data', (bytes: Buffer) => {
      said += bytes.toString();
      if (said.startsWith('begun')) resolve();
    });
  });
  const over = new Promise((resolve) => child.on('close', resolve));
  await begun;
  await during();
  await over;
  return JSON.parse(said.split('\n')[1]!) as Told;
}

let dir: string;
let tls: { readonly keyFile: string; readonly certFile: string };
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'skep-closing-'));
  tls = { keyFile: join(dir, 'key.pem'), certFile: join(dir, 'cert.pem') };
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=door', '-keyout', tls.keyFile, '-out', tls.certFile], { stdio: 'ignore' }); // prettier-ignore
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const rounds = Array.from({ length: ROUNDS }, (_, no) => no);

// Where the kernel does not tell of callers, those that are slow are cut.
describe.runIf(process.platform === 'linux').each([
  ['uws', false],
  ['uws', true],
  ['node', false],
  ['node', true],
] as const)('%s, TLS: %s', (kind, isTls) => {
  test.each(rounds)('round %i', { timeout: 60_000 }, async (no) => {
    const stage = await Stage.open(kind, tellLater([]), { drainMs: 10_000, ...(isTls && { tls }) });
    const told = await callersAt(stage.door.port, isTls, async () => {
      await passed(CALLERS_MS);
      if (no % 2 === 0) stage.door.retire();
      if (no % 4 === 0) await passed(CALLERS_MS);
      await stage.door.close();
    });
    expect(told.answered).toBeGreaterThan(0);
    expect(told.cut).toEqual([]);
  });
});
