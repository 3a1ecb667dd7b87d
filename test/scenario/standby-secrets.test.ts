/** Doors of a node that stands by, where the platform file takes secrets from the vault: two processes on one PostgreSQL. Spec: docs/contract/platform.md §6, docs/how-to/several-doors.md. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NodePair, readiness, type PairMachine, type Waiting } from '#test/kit/node-pair.ts';
import { hasPostgres } from '#test/kit/postgres-server.ts';
import type { ProcessNode } from '#test/kit/process-node.ts';
import { putSecret, removeSecret, rewrite, vaultLines, writeRootKey } from '#test/kit/shared-vault.ts';
import { call } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const SOON = { timeout: 60_000, interval: 100 };
const LONG_MS = 240_000;
const NAME = 'intake/gateway';
const FORM = { name: 'Ann', email: 'ann@example.org' };

describe.runIf(hasPostgres)('doors of a standby whose secrets lie in the vault', () => {
  let pair: NodePair;
  let n1: PairMachine;
  let n2: PairMachine;
  let first: ProcessNode;
  let second: Waiting;

  beforeAll(async () => {
    pair = await NodePair.start({ shards: 2, leaseMs: 3000, hasLinks: true });
    [n1, n2] = pair.machines;
    const rootKey = writeRootKey(pair.root);
    for (const machine of pair.machines) {
      const vault = await vaultLines(rootKey);
      rewrite(machine, (text) =>
        text
          .replace(/^intake:\n/m, `${vault}intake:\n  security: { gateway_secret: "vault:${NAME}" }\n`)
          .replace(/^bootstrap: .*$/m, 'bootstrap: { token: "vault:first-token" }'),
      );
    }
    await putSecret(n1, NAME, 'first secret');
    await putSecret(n1, 'first-token', 'a token');
    first = await pair.serve(n1);
  }, LONG_MS);
  afterAll(() => pair?.stop());

  const submit = async ({ gateway }: PairMachine, secret: string): Promise<number> =>
    (await call(gateway, 'POST', '/f/contact', { 'X-Edge-Gateway-Secret': secret }, FORM)).status;
  const outcomes = (machine: PairMachine, ...secrets: readonly string[]): Promise<unknown> =>
    Promise.all(secrets.map((secret) => submit(machine, secret).catch(() => 'closed')));
  const check = async (): Promise<string> => (await skep(`cluster check -f ${n2.file}`)).out;

  test('a secret that is not there keeps them closed, which is said, until it is', { timeout: LONG_MS }, async () => {
    await removeSecret(n1, NAME);
    second = await pair.standby(n2);
    const why = `vault:${NAME} is not in the vault`;
    await expect.poll(() => readiness(n2), SOON).toContain(`doors closed: ${why}`);
    expect(await outcomes(n2, 'first secret')).toEqual(['closed']);
    expect(await check()).toMatch(new RegExp(`fault +doors +${why}: the doors .* stay closed`));
    await putSecret(n1, NAME, 'first secret');
    await expect.poll(() => readiness(n2), SOON).toContain(', linked');
    expect(await check()).toMatch(/ok +doors +.* and it gives the 2 secrets that the file names/);
  });

  test('they take the secret, and no name or other secret in its place', { timeout: LONG_MS }, async () => {
    const shown = ['first secret', '', `vault:${NAME}`, 'vault:first-token', 'a token', 'first secre'];
    expect(await outcomes(n2, ...shown)).toEqual([200, 403, 403, 403, 403, 403]);
    expect(await outcomes(n1, ...shown)).toEqual([200, 403, 403, 403, 403, 403]);
  });

  test(
    'a secret that was replaced counts at every door from the next node on that serves',
    { timeout: LONG_MS },
    async () => {
      await putSecret(n1, NAME, 'second secret');
      expect(await outcomes(n2, 'first secret', 'second secret')).toEqual([200, 403]);
      expect(await first.end('SIGKILL')).toBe('SIGKILL');
      await second.serves;
      expect(await outcomes(n2, 'first secret', 'second secret')).toEqual([403, 200]);
      await pair.standby(n1);
      await expect.poll(() => readiness(n1), SOON).toContain(', linked');
      expect(await outcomes(n1, 'first secret', 'second secret')).toEqual([403, 200]);
    },
  );

  /** Of a further node with this vault, which waits: what its `/readyz` says of its doors, what the commands say, and what a caller gets. */
  async function closed(name: string, rootKey: string, backend: string, why: string) {
    const machine = await pair.another(name);
    const vault = await vaultLines(rootKey, backend);
    rewrite(machine, (text) => text.replace(/^bootstrap: .*$/m, `${vault}bootstrap: { token: "vault:first-token" }`));
    rewrite(machine, (text) =>
      text.replace(/^intake:\n/m, `intake:\n  security: { gateway_secret: "vault:${NAME}" }\n`),
    );
    const { pid } = await pair.standby(machine);
    await expect.poll(() => readiness(machine), SOON).toContain(`doors closed: ${why}`);
    expect(await outcomes(machine, 'second secret')).toEqual(['closed']);
    const [said, checked] = [
      await skep(`cluster status -f ${machine.file}`),
      await skep(`cluster check -f ${machine.file}`),
    ];
    process.kill(pid, 'SIGKILL');
    return { said: said.err, checked: checked.out };
  }

  test('a vault on the machine alone keeps them closed, and every command says so', { timeout: LONG_MS }, async () => {
    const why = 'secrets of the platform file lie in the vault, and the vault lies in lmdb on this machine';
    const { said, checked } = await closed('n3', writeRootKey(pair.root, 'n3.key'), 'lmdb', why);
    expect(said).toContain(`${why}: the doors of a node with this file stay closed while it stands by`);
    expect(said).toContain('set vault.backend.kind: postgres on every node');
    expect(checked).toContain(why);
  });

  test(
    'so does another root key than that of the vault, and it changes nothing there',
    { timeout: LONG_MS },
    async () => {
      const why = 'the root key is not the one that this store was sealed with';
      const sealOf = () => pair.database.primary.sql("select version, value from skep_vault where path = 'seal'");
      const before = await sealOf();
      const { said, checked } = await closed('n4', writeRootKey(pair.root, 'n4.key'), 'postgres', why);
      expect(said).not.toContain('stay closed'); // the file is as it should be
      expect(checked).toMatch(new RegExp(`fault +doors +${why}`));
      expect(await sealOf()).toEqual(before);
    },
  );
});
