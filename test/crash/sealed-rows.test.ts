/**
 * Forms and audit logs on a sealed log, between two nodes and a vault in the same database: a log that was plain before is sealed, the machine that serves burns while notices and deliveries wait, the key is changed, a person is erased. What came behind the seal
 * is in none of the database's files, its own log among them; what came before is, so that the search could find it.
 */
import { hash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canonicalJson } from '#actors/audit/canonical.ts';
import { digestOf } from '#actors/intake/submission.ts';
import { writeDesk } from '#test/kit/desk-forms.ts';
import { NodePair, type PairMachine } from '#test/kit/node-pair.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { hasPostgres } from '#test/kit/postgres-server.ts';
import type { ProcessNode } from '#test/kit/process-node.ts';
import { tally } from '#test/kit/tally.ts';
import { call, exchange, positionHeaders } from '#test/kit/test-node.ts';
import { startReceiver, type Receiver } from '#test/kit/webhook-receiver.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const START_MS = 60_000;
const SUBMISSIONS = 40;
const SEAL = 'seal: vault';
const PATH = `/audit/logs/${encodeURIComponent('tenant/acme/shop/dev/main')}/records`;
const PERSON = { login: 'admin@main.example', password: 'correct horse battery' };

describe.runIf(hasPostgres)('rows beside a sealed log', () => {
  const root = mkdtempSync(join(tmpdir(), 'skep-sealed-rows-'));
  const [rootKey, aside] = [join(root, 'root.key'), join(root, 'aside.key')];
  /** The id of each key that was answered 200. */
  const known = new Map<string, string>();
  const recorded: string[] = [];
  let chat: Receiver;
  let pair: NodePair;
  let one: PairMachine;
  let two: PairMachine;

  beforeAll(async () => {
    chat = await startReceiver();
    chat.answer = (_received, response) => void response.writeHead(503).end();
    writeFileSync(rootKey, randomBytes(32).toString('base64'), { mode: 0o600 });
    const intake = `  ratelimit: { per_ip: 100000, per_ip_burst: 100000, global: 100000, global_burst: 100000 }
  notify: { enabled: true, queue_depth: 1000 }
  chat: { default_webhook: "http://127.0.0.1:${chat.port}/chat" }
  outbound: { allow_private: [127.0.0.1] }`;
    const extra = (): string => `vault:
  enabled: true
  profile: development
  seal: { current: { file: ${rootKey} } }
  backend: { kind: postgres }
audit: { enabled: true, name: audit.example, backend: { kind: postgres } }
`;
    const platform = { ...writeDesk(root), intake, listeners: '  vault: { bind: 127.0.0.1:0 }\n' };
    const people = [{ tenant: TENANT, ...PERSON, roles: ['tenant_admin'] }];
    pair = await NodePair.start({ shards: 4, leaseMs: 3000, journal: SEAL, platform, people, extra });
    [one, two] = pair.machines;
  }, 3 * START_MS);
  afterAll(async () => {
    await pair.stop();
    await chat.stop();
    rmSync(root, { recursive: true, force: true });
  });

  /** Its file, without the seal. */
  function plainly(machine: PairMachine): PairMachine {
    const file = join(dirname(machine.file), 'plain.yaml');
    writeFileSync(file, readFileSync(machine.file, 'utf8').replace(`, ${SEAL}`, ''));
    return { ...machine, file };
  }

  const blobOf = (mark: string) => ({ text: `${mark} `.repeat(8000) });
  const fieldsOf = (mark: string) => ({ subject: `${mark}subject`, email: `${mark}@example.org` });

  async function submit(node: ProcessNode, mark: string): Promise<void> {
    const headers = { 'Idempotency-Key': `${mark}key` };
    const answer = await call(node.listeners['intake']!, 'POST', '/f/contact', headers, fieldsOf(mark));
    expect(answer.status, answer.text).toBe(200);
    const { id } = answer.json as { id: string };
    expect(known.get(mark) ?? id).toBe(id);
    known.set(mark, id);
  }

  /** A record of the tenant's audit log, and one whose data is a blob; the digest of that names it. */
  async function record(node: ProcessNode, mark: string): Promise<void> {
    const base = node.listeners['gateway']!;
    const headers = { ...positionHeaders(TENANT), Authorization: `Bearer ${await exchange(base, pair.key)}` };
    const records = [{}, blobOf(mark)].map((data) => ({ action: 'test.sealed', target: `${mark}target`, data }));
    const answer = await call(base, 'POST', PATH, headers, records);
    expect(answer.status, answer.text).toBe(200);
    recorded.push(`${mark}target`, `${mark}target`);
  }

  /** Targets of the test's records, as the node shows them. */
  async function targets(node: ProcessNode): Promise<string[]> {
    const base = node.listeners['gateway']!;
    const login = await call(base, 'POST', '/auth/login', positionHeaders(TENANT), PERSON);
    const { access_token } = login.json as { access_token: string };
    const headers = { ...positionHeaders(TENANT), Authorization: `Bearer ${access_token}` };
    const answer = await call(base, 'GET', `${PATH}?action=test.sealed&limit=100`, headers);
    expect(answer.status, answer.text).toBe(200);
    return (answer.json as { records: { target: string }[] }).records.map(({ target }) => target);
  }

  /** Whether a mark, or the digest of what was sent with it, is in a file of either server. */
  async function found(mark: string): Promise<boolean> {
    for (const server of [pair.database.primary, pair.database.standby])
      for (const text of [mark, digestOf(fieldsOf(mark)), hash('sha256', canonicalJson(blobOf(mark)))])
        if (await server.holds(text)) return true;
    return false;
  }

  async function tickets(node: ProcessNode): Promise<string[]> {
    const base = node.listeners['gateway']!;
    const headers = { ...positionHeaders(TENANT), Authorization: `Bearer ${await exchange(base, pair.key)}` };
    const answer = await call(base, 'GET', '/data/rest/ticket?limit=500', headers);
    expect(answer.status, answer.text).toBe(200);
    return (answer.json as { data: { reference: string }[] }).data.map(({ reference }) => reference).toSorted();
  }

  test(
    'what comes behind the seal cannot be read, and a machine that burns loses none of it',
    { timeout: 6 * START_MS },
    async () => {
      const plain = await pair.serve(plainly(one));
      await submit(plain, 'plainlyreadable');
      await record(plain, 'plainrecord');
      expect(await plain.end('SIGTERM')).toBe(0);
      for (const mark of ['plainlyreadable', 'plainrecord']) expect(await found(mark)).toBe(true);

      const first = await pair.serve(one);
      const second = (await pair.standby(two)).serves;
      await pair.ready(two);
      for (let n = 0; n < SUBMISSIONS; n++) await submit(first, `sealedaway${n}`);
      await record(first, 'sealedrecord');
      await first.end('SIGKILL');
      rmSync(one.data, { recursive: true });
      const next = await second;
      for (const mark of known.keys()) await submit(next, mark);
      expect(chat.received.length).toBeGreaterThan(0);
      chat.answer = (_received, response) => void response.end();
      const noticed = (): string[] => {
        const texts = chat.received.map(({ body }) => body);
        return [...known.values()].filter((id) => !texts.some((text) => text.includes(id)));
      };
      await expect.poll(noticed, { timeout: START_MS, interval: 200 }).toEqual([]);
      await expect
        .poll(() => tickets(next), { timeout: START_MS, interval: 200 })
        .toEqual([...known.values()].toSorted());
      await record(next, 'sealedrecordtoo');
      await expect.poll(() => targets(next), { timeout: START_MS, interval: 200 }).toEqual(recorded);
      expect(await next.end('SIGTERM')).toBe(0);
      for (const mark of [
        'sealedaway',
        'sealedaway0',
        `sealedaway${SUBMISSIONS - 1}`,
        'sealedrecord',
        'sealedrecordtoo',
      ])
        expect(await found(mark)).toBe(false);
      tally({ acknowledged: known.size, faults: 1 });
    },
  );

  test('verbs read with the keys alone, and say what is missing', { timeout: 2 * START_MS }, async () => {
    const { file } = two;
    const verified = await skep(`intake verify --platform ${file} -o json`);
    expect(JSON.parse(verified.out), verified.err).toMatchObject({ lines: known.size, faultCount: 0 });
    const exported = await skep(`intake export --platform ${file} --form contact`);
    for (const mark of known.keys()) expect(exported.out).toContain(`"${mark}subject"`);
    renameSync(rootKey, aside);
    const refused = await skep(`intake verify --platform ${file}`);
    renameSync(aside, rootKey);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('root.key')]);
    const unnamed = await skep(`intake export --platform ${plainly(two).file}`);
    expect([unnamed.code, unnamed.out]).toEqual([1, '']);
    expect(unnamed.err).toContain('set storage.journal.seal: vault');
    const check = await skep(`cluster check -f ${two.file}`);
    expect(check.out).toContain('in the database of the log, sealed');
  });

  test(
    'behind a rotation all lines are there, and an erased person is in none',
    { timeout: 4 * START_MS },
    async () => {
      const rotated = await skep(`cluster rotate-key -f ${two.file} -o json`);
      expect(JSON.parse(rotated.out)).toMatchObject({ key: 2 });
      const node = await pair.serve(two);
      await submit(node, 'sealedlater');
      await record(node, 'sealedrecordlater');
      await expect.poll(() => targets(node), { timeout: START_MS, interval: 200 }).toEqual(recorded);
      for (const mark of known.keys()) await submit(node, mark);
      const person = 'sealedaway1@example.org';
      const erased = await skep(`intake person erase ${person} -f ${two.file} --confirm ${person} -o json`);
      expect(JSON.parse(erased.out), erased.err).toMatchObject({ forms: { contact: 1 } });
      expect(await node.end('SIGTERM')).toBe(0);
      const verified = await skep(`intake verify --platform ${two.file} -o json`);
      expect(JSON.parse(verified.out)).toMatchObject({ lines: known.size - 1, erased: 1, faultCount: 0 });
      const exported = await skep(`intake export --platform ${two.file}`);
      expect(exported.out).toContain('sealedlatersubject');
      expect(exported.out).not.toContain(person);
      for (const mark of ['sealedlater', 'sealedrecordlater']) expect(await found(mark)).toBe(false);
    },
  );
});
