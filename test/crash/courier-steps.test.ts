/**
 * The courier is killed at each named step of a parcel of each kind, with another parcel behind it: both arrive, under one id each, and the outbox forgets them.
 * Contract: docs/contract/identity.md (mails), docs/contract/content.md (webhooks), docs/contract/intake.md §9 (notices).
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HoldingProxy, type Step } from '#test/kit/holding-proxy.ts';
import { magazineWith, startMagazine } from '#test/kit/magazine.ts';
import { MailServer } from '#test/kit/mail-server.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import type { Headers, TestNode } from '#test/kit/test-node.ts';
import { tally } from '#test/kit/tally.ts';
import { PASSWORD } from '#test/kit/users.ts';
import { startReceiver, type Receiver } from '#test/kit/webhook-receiver.ts';

/** The states of a parcel in actors/courier/courier.ts as its receiver sees them. At most so often may a parcel arrive whose courier ended there. */
const STEPS: Readonly<Record<Step | 'waiting' | 'queued', number>> = {
  /** A connection, and no word of the parcel. */
  connected: 1,
  /** The beginning of it. */
  asked: 1,
  /** The receiver has it, the courier does not know. */
  taken: 2,
  /** The courier may know, and may have told. */
  answered: 2,
  /** Its receiver was not able to take it: it waits for its next attempt. */
  waiting: 1,
  /** Others take all places: it waits for one. */
  queued: 1,
};
/** As many are sent at once (`sendingMax`, `webhookWorkers`, `notify.workers`). */
const PLACES = 4;
const KINDS = ['mail', 'webhook', 'notice'] as const;
type Kind = (typeof KINDS)[number];
const LIMIT = { timeout: 120_000 };
const SOON = { timeout: 60_000, interval: 50 };

interface Arrival {
  readonly id: string;
  readonly name: string;
}

/** A receiver of parcels behind a proxy. */
interface Place {
  readonly proxy: HoldingProxy;
  /** Asks the node for a parcel of this name. */
  readonly send: (name: string) => Promise<void>;
  readonly arrived: () => readonly Arrival[];
  /** What the sender says when the parcel itself begins. */
  readonly begins: RegExp;
  /** How often the receiver refused for now. */
  readonly refused: () => number;
  readonly refuse: (isRefusing: boolean) => void;
}

let dir: string;
let mail: MailServer;
let hooks: Receiver;
let it: TestNode;
let editor: Headers;
const places = {} as Record<Kind, Place>;

/** Waits until the parcels of a kind are settled in their outboxes. */
const untilSettled = (kind: Kind): Promise<void> =>
  expect
    .poll(async () => {
      const { text } = await it.call('GET', '/metrics', {}, undefined, it.node.listeners['operations']);
      const figure = (name: string): number =>
        Number(new RegExp(`^${name}\\{kind="${kind}"\\} (\\S+)$`, 'm').exec(text)![1]);
      return figure('skep_parcels_held') + figure('skep_outboxes_waiting');
    }, SOON)
    .toBe(0);

async function open(): Promise<void> {
  dir = mkdtempSync(join(tmpdir(), 'skep-courier-steps-'));
  mail = new MailServer();
  await mail.listen();
  hooks = await startReceiver();
  const [toMail, toHooks] = [new HoldingProxy(mail.port), new HoldingProxy(hooks.port)];
  const [mailPort, hookPort] = [await toMail.open(), await toHooks.open()];
  mkdirSync(join(dir, 'forms'));
  const fields = 'fields:\n  name: { type: string, required: true }\n  email: { type: email, required: true }\n';
  const notify = 'notify: { email: { to: [team@example.org], subject: A message } }\n';
  writeFileSync(join(dir, 'forms', 'contact.yaml'), `id: contact\ntitle: Contact us\n${fields}${notify}`);
  const smtp = `smtp: { host: 127.0.0.1, port: ${mailPort}, starttls: false, auth: none }`;
  const url = `http://127.0.0.1:${hookPort}/hook`;
  it = await startMagazine({
    localdir: magazineWith(
      dir,
      `webhooks:\n  - { name: site, url: "${url}", secret: "\${SKEP_TEST_WEBHOOK}", timeout: 60s }\n`,
    ),
    forms: `{ dir: ${join(dir, 'forms')} }`,
    intake: `  ratelimit: { per_ip: 100000, per_ip_burst: 100000, global: 100000, global_burst: 100000 }
  notify: { enabled: true, retry_backoff: 200ms, workers: ${PLACES} }
  email: { from: forms@skep.example, ${smtp} }`,
    extra: `outbound: { allow_private: ["127.0.0.1:${hookPort}"] }
identity:
  mail:
    ${smtp}
    from: Shop <no-reply@shop.example>
    links: { reset: "https://shop.example/reset?token={token}", magic_link: "https://shop.example/in#{token}" }
`,
  });
  editor = await it.service();

  const refusing = { isRefusing: false, count: 0 };
  hooks.answer = (_received, response) => {
    if (refusing.isRefusing) refusing.count++;
    response.writeHead(refusing.isRefusing ? 503 : 200).end();
  };
  const refuseMail = (isRefusing: boolean): void => void (mail.refuseMessages = isRefusing ? 451 : null);
  places.mail = {
    proxy: toMail,
    send: async (name) => {
      const login = `${name}@people.example`;
      await it.node.ask(TENANT, 'identity', 'user.ensure', { login, password: PASSWORD, roles: ['tenant_user'] });
      expect((await it.call('POST', '/auth/password/reset', it.position(), { login })).status).toBe(202);
    },
    arrived: () =>
      mail.received
        .filter(({ to }) => to[0]!.endsWith('@people.example'))
        .map(({ to, messageId }) => ({ id: messageId, name: to[0]!.split('@')[0]! })),
    begins: /^RCPT/m,
    refused: () => mail.refused.length,
    refuse: refuseMail,
  };
  const posts = new Map<string, string>();
  places.webhook = {
    proxy: toHooks,
    send: async (name) => {
      const answer = await it.call('POST', '/content/blog/post', editor, { title: name });
      expect(answer.status, answer.text).toBe(201);
      posts.set((answer.json as { id: string }).id, name);
    },
    arrived: () =>
      hooks.received.map(({ headers, body }) => ({
        id: String(headers['webhook-id']),
        name: [...posts].find(([id]) => body.includes(id))?.[1] ?? body,
      })),
    begins: /^POST/m,
    refused: () => refusing.count,
    refuse: (isRefusing) => void (refusing.isRefusing = isRefusing),
  };
  const submissions = new Map<string, string>();
  places.notice = {
    proxy: toMail,
    send: async (name) => {
      const body = { name, email: 'ada@example.org' };
      const answer = await it.call('POST', '/f/contact', {}, body, it.node.listeners['intake']);
      expect(answer.status).toBe(200);
      submissions.set(`<${(answer.json as { id: string }).id}@skep.example>`, name);
    },
    arrived: () =>
      mail.received
        .filter(({ to }) => to[0] === 'team@example.org')
        .map(({ messageId }) => ({ id: messageId, name: submissions.get(messageId) ?? messageId })),
    begins: /^RCPT/m,
    refused: () => mail.refused.length,
    refuse: refuseMail,
  };
}

async function close(): Promise<void> {
  await it?.stop();
  for (const kind of ['mail', 'webhook'] as const) await places[kind]?.proxy.close();
  await mail?.close();
  await hooks?.stop();
  rmSync(dir, { recursive: true, force: true });
}

/** Brings a parcel to a step; resolves when it is there. */
async function bring(name: string, { proxy, ...place }: Place, step: keyof typeof STEPS): Promise<void> {
  const count = place.arrived().length;
  const hasTaken = (): boolean => place.arrived().length > count;
  if (step === 'waiting') {
    const before = place.refused();
    place.refuse(true);
    await place.send(name);
    return expect.poll(place.refused, SOON).toBeGreaterThan(before);
  }
  if (step === 'queued') {
    for (let no = 0; no < PLACES; no++) {
      const isConnected = proxy.holdAt('connected', () => true);
      await place.send(`${name}.ahead${no}`);
      await isConnected;
    }
    return place.send(name);
  }
  const isThere = proxy.holdAt(step, (bytes) =>
    step === 'asked' ? place.begins.test(bytes.toString()) : step === 'connected' || hasTaken(),
  );
  await place.send(name);
  return isThere;
}

describe.each(KINDS)('%s', (kind) => {
  // A node of its own: more ends of a thread than its budget in a minute would end the node.
  beforeAll(open, LIMIT.timeout);
  afterAll(close);

  test.each(Object.keys(STEPS) as (keyof typeof STEPS)[])('killed at: %s', LIMIT, async (step) => {
    const place = places[kind];
    const name = `${kind}.${step}`;
    await bring(name, place, step);
    await place.send(`${name}.behind`);
    await it.node.drill.kill('courier');
    place.refuse(false);
    place.proxy.letGo();
    const named = (wanted: string): readonly Arrival[] => place.arrived().filter((one) => one.name === wanted);
    await expect.poll(() => [named(name).length > 0, named(`${name}.behind`).length > 0], SOON).toEqual([true, true]);
    await untilSettled(kind);
    // A webhook that was refused for now has arrived once before.
    const refusedOnce = kind === 'webhook' && step === 'waiting' ? 1 : 0;
    expect(named(name).length).toBeLessThanOrEqual(STEPS[step] + refusedOnce);
    for (const wanted of [name, `${name}.behind`]) expect(new Set(named(wanted).map(({ id }) => id)).size).toBe(1);
    tally({ courierKills: 1 });
  });
});
