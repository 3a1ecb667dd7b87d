/** Replaces the release of a node as docs/operate/upgrade.md says: its commands, line by line, with a process in place of a unit of systemd. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '#runtime/place.ts';
import { linesOf } from '#test/kit/page-commands.ts';
import type { Machine } from './machine.ts';
import type { Release } from './release.ts';

const SOON_MS = 120_000;
const LOOK_MS = 50;

const page = readFileSync(join(ROOT, 'docs/operate/upgrade.md'), 'utf8');

/** The lines for one node, which the page calls n1. */
const LINES = linesOf(/```sh untested: it replaces a node[^\n]*\n([^]*?)```/.exec(page)![1]!);

/** Resolves when the machine runs the release and stands by. `all`: the machines on the log. */
export async function replace(machine: Machine, release: Release, all: readonly Machine[]): Promise<void> {
  for (const line of LINES) await typed(line, machine, release, all);
  await until(`${machine.name} of ${release.name} stands by`, all, () => machine.isStandby());
}

async function typed(line: string, machine: Machine, release: Release, all: readonly Machine[]): Promise<void> {
  if (line === 'systemctl stop skep') await machine.stop();
  else if (line === 'systemctl start skep') machine.start();
  else if (line.startsWith('#')) machine.release = release;
  else if (line.startsWith('skep cluster drain')) await drained(line, machine, all);
  else if (line.startsWith('skep ')) await machine.skep(...wordsOf(line, machine));
  else throw new Error(`a line of docs/operate/upgrade.md that the test does not know: ${line}`);
}

/** Only where it serves, as the page says; when the line is over another node has the place, and this one stands by. */
async function drained(line: string, machine: Machine, all: readonly Machine[]): Promise<void> {
  if (!(await machine.serves())) return;
  await machine.skep(...wordsOf(line, machine));
  await until(`${machine.name} stands by behind its drain`, all, async () =>
    (await machine.readiness()).includes('standby, '),
  );
}

const wordsOf = (line: string, { file, name }: Machine): string[] =>
  line.replace('n1', name).replace('platform.yaml', file).split(' ').slice(1);

/** Rejects when it has not come about in time, or a node has ended by itself. */
export async function until(what: string, machines: readonly Machine[], isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + SOON_MS;
  while (!(await isSo())) {
    const gone = machines.find(({ hasEnded }) => hasEnded);
    if (gone !== undefined)
      throw new Error(`${gone.name} of ${gone.release.name} has ended by itself:\n${gone.logged}`);
    if (performance.now() > end) {
      const logs = machines.map(({ logged, name, release }) => `${name} of ${release.name}:\n${logged}`);
      throw new Error(`${SOON_MS / 1000} s went by before ${what}\n${logs.join('\n')}`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** Makes a tenant; a key of a service of it. */
export async function keyOf(machine: Machine, tenant: string): Promise<string> {
  await machine.skep('tenant', 'provision', '-f', machine.file, '--tenant', tenant);
  const [customer, product, env, name] = tenant.split(':');
  const issue = ['key', 'issue', '-f', machine.file, '--tenant', tenant, '--service', 'test', '-o', 'json'];
  const said = await machine.skep(...issue, '--scope', `${customer}:${env}:${product}:${name}`);
  return (JSON.parse(said) as { readonly key: string }).key;
}
