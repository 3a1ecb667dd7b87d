/**
 * Certificates by ACME of two nodes on one log, with Debian's pebble as the authority: it comes to the port of the node that stands by, so that each order rests on what nodes share.
 * Spec: docs/contract/platform.md §3.8, docs/how-to/several-doors.md.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '#test/kit/free-port.ts';
import { NodePair, readiness, type PairMachine, type Waiting } from '#test/kit/node-pair.ts';
import { hasPebble, Pebble } from '#test/kit/pebble.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { hasPostgres } from '#test/kit/postgres-server.ts';
import type { ProcessNode } from '#test/kit/process-node.ts';
import { shownTo } from '#test/kit/shown-certificate.ts';
import { rewrite, vaultLines, writeRootKey } from '#test/kit/shared-vault.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const SOON = { timeout: 90_000, interval: 200 };
const LONG_MS = 240_000;
/** Two thirds of it are many times what a takeover takes. */
const LIFE_S = 75;
const SITE = 'shop.acme.test';

describe.runIf(hasPostgres && hasPebble)('certificates that nodes of a log share', () => {
  const pebble = new Pebble();
  let pair: NodePair;
  let n1: PairMachine;
  let n2: PairMachine;
  let first: ProcessNode;
  let second: Waiting;
  let root: string;

  beforeAll(async () => {
    await pebble.start({ seconds: LIFE_S });
    pair = await NodePair.start({
      shards: 2,
      leaseMs: 3000,
      hasLinks: true,
      platform: { sites: `{ ${SITE}: { tenant: "${TENANT}" } }` },
    });
    [n1, n2] = pair.machines;
    const rootKey = writeRootKey(pair.root);
    for (const [machine, port] of [
      [n1, await freePort()],
      [n2, pebble.httpPort],
    ] as const) {
      const vault = await vaultLines(rootKey);
      const acme = `directory: "${pebble.directory}", ca_file: ${pebble.caFile}, agree_terms: true, http_bind: "127.0.0.1:${port}"`;
      rewrite(machine, (text) =>
        text
          .replace(/^gateway: \{ /m, (found) => `${found}tls: { acme: { ${acme} } }, `)
          .replace(/^intake:\n/m, `${vault}intake:\n`),
      );
    }
    root = join(pair.root, 'pebble-root.pem');
    first = await pair.serve(n1);
    second = await pair.standby(n2);
  }, LONG_MS);
  afterAll(async () => {
    await pair?.stop();
    await pebble.remove();
  });

  const seen = async ({ gateway }: PairMachine) => shownTo(new URL(gateway).host, SITE, root, await pebble.root());
  const serialAt = async (machine: PairMachine): Promise<string> => (await seen(machine)).serial;
  const verdictAt = (machine: PairMachine): Promise<string> => seen(machine).then(({ verdict }) => verdict, String);
  const renew = async (machine: PairMachine): Promise<void> => {
    const { code, err } = await skep(`tls renew -f ${machine.file} --name ${SITE}`);
    expect([code, err]).toEqual([0, '']);
  };
  const accounts = (): number => pebble.said.match(/There are now \d+ accounts in memory/g)?.length ?? 0;

  test(
    'the authority comes to the node that stands by, and both doors show what the one that serves has gained',
    { timeout: LONG_MS },
    async () => {
      await expect.poll(() => readiness(n2), SOON).toContain(', linked');
      // The first order may have come before the other node had its port.
      if ((await verdictAt(n1)) !== '0 (ok)') await renew(n1);
      await expect.poll(() => verdictAt(n1), SOON).toBe('0 (ok)');
      await expect.poll(() => verdictAt(n2), SOON).toBe('0 (ok)');
      expect(await serialAt(n2)).toBe(await serialAt(n1));
      const { err, out } = await skep(`cluster check -f ${n2.file}`);
      expect(out, err).toMatch(/ok +doors +those of a node that stands by open/);
    },
  );

  /** Of the one certificate that both doors show, once it is another one than before. */
  async function nextSerial(before: string): Promise<string> {
    const shown = () => Promise.all([n1, n2].map((machine) => serialAt(machine).catch(String)));
    await expect
      .poll(async () => {
        const [here, there] = await shown();
        return here === there && here !== before;
      }, SOON)
      .toBe(true);
    return serialAt(n2);
  }

  test('a renewed one is shown at both doors, and no node is started for it', { timeout: LONG_MS }, async () => {
    const before = await serialAt(n2);
    await renew(n1);
    await nextSerial(before);
    expect(await verdictAt(n2)).toBe('0 (ok)');
    const status = (await skep(`tls status -f ${n2.file} -o json`)).out;
    expect(JSON.parse(status)).toMatchObject([{ name: SITE, failures: 0 }]);
  });

  test(
    'the node that takes the place shows the same one, and renews it when it is due, by the same account',
    { timeout: LONG_MS },
    async () => {
      const old = await serialAt(n2);
      await renew(n1);
      const before = await nextSerial(old);
      const made = accounts();
      expect(made).toBeGreaterThan(0);
      expect(await first.end('SIGKILL')).toBe('SIGKILL');
      await second.serves;
      expect([await serialAt(n2), await verdictAt(n2)]).toEqual([before, '0 (ok)']);
      await pair.standby(n1);
      await expect.poll(() => readiness(n1), SOON).toContain(', linked');
      await nextSerial(before);
      expect([await verdictAt(n1), await verdictAt(n2), accounts()]).toEqual(['0 (ok)', '0 (ok)', made]);
    },
  );

  test('a node that hands over goes on answering the authority as a standby', { timeout: LONG_MS }, async () => {
    await renew(n2);
    const handed = await skep(`cluster drain -f ${n1.file}`);
    expect([handed.code, handed.err]).toEqual([0, '']);
    await expect.poll(() => readiness(n2), SOON).toContain(', linked');
    const before = await nextSerial('');
    await renew(n1);
    await nextSerial(before);
    expect([await verdictAt(n1), await verdictAt(n2)]).toEqual(['0 (ok)', '0 (ok)']);
  });

  test('no key of it lies in the database or a log as it is', { timeout: LONG_MS }, async () => {
    const rows = await pair.database.primary.sql(
      "select path, encode(value, 'escape') as text from skep_vault where path like 'acme/%'",
    );
    expect(rows.map(({ path }) => String(path)).toSorted()).toEqual([
      expect.stringMatching(/^acme\/account\//),
      `acme/pair/${SITE}`,
      'acme/state',
    ]);
    for (const { text } of rows) expect(text).not.toMatch(/BEGIN|token|failures/);
    expect(existsSync(join(n2.data, 'acme', 'accounts'))).toBe(false);
    const file = join(n2.data, 'acme', 'pairs', `${SITE}.pem`);
    expect(readdirSync(join(n2.data, 'acme', 'pairs'))).toEqual([`${SITE}.pem`]);
    const secret = readFileSync(file, 'utf8').split('\n')[1]!;
    expect(first.logged() + first.stderr()).not.toContain(secret);
  });
});
