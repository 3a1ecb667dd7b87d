/** Channels of the client on a real node: two users at a row, what they tell each other, a third that may not. docs/contract/channels.md */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { channel, createClient, isSkepError, type Channel, type Told } from '#client/index.ts';
import { writeNoteProduct } from '#test/kit/note-product.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { startTestNode, type TestNode } from '#test/kit/test-node.ts';

const PASSWORD = 'correct horse battery';
const SOON = { timeout: 20_000 };
const PRODUCT = `name: shop
sessions: { mode: managed }
channels:
  note: { entity: note, join: { users: true }, send: { users: true }, presence: true }
`;

const dir = mkdtempSync(join(tmpdir(), 'skep-client-channels-'));
let node: TestNode;

beforeAll(async () => {
  const localdir = writeNoteProduct(dir);
  writeFileSync(join(dir, 'notes', 'product.yaml'), PRODUCT);
  node = await startTestNode({ localdir, dir });
}, 60_000);
afterAll(async () => {
  await node.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function clientOf(name: string) {
  const login = `${name}@example.org`;
  const person = { email: login, password: PASSWORD, roles: ['tenant_user'] };
  const { id } = (await node.node.ask(TENANT, 'identity', 'person.ensure', person)) as { id: string };
  const skep = createClient({ url: node.gateway, position: TENANT });
  await skep.auth.login({ login, password: PASSWORD });
  return { skep, subject: id };
}

type At = { readonly line: number };
interface Seen {
  readonly told: Told<At, string>[];
  failure: unknown;
}

/** Follows a channel until its loop ends. */
function follow(room: Channel<At, string>, state: At, signal: AbortSignal): Seen {
  const seen: Seen = { told: [], failure: null };
  const loop = async (): Promise<void> => {
    for await (const told of room.join({ state, signal })) seen.told.push(told);
  };
  loop().catch((error: unknown) => (seen.failure = error));
  return seen;
}

test('members see each other, their states and messages; a row that a user may not read has no channel for it', async () => {
  const [ann, ben] = [await clientOf('ann'), await clientOf('ben')];
  const service = await node.service();
  const noteOf = async (values: object): Promise<string> => {
    const { json } = await node.call('POST', '/data/rest/note', service, { title: 'a', ...values });
    return (json as { data: { id: string }[] }).data[0]!.id;
  };
  const key = await noteOf({ open: true });
  const [desk, other] = [
    channel<At, string>(ann.skep, 'note', { key }),
    channel<At, string>(ben.skep, 'note', { key }),
  ];
  const [annLeaves, benLeaves] = [new AbortController(), new AbortController()];
  const seen = follow(desk, { line: 1 }, annLeaves.signal);
  await expect.poll(() => seen.told.map(({ type }) => type), SOON).toEqual(['joined']);
  const there = follow(other, { line: 2 }, benLeaves.signal);
  const whoIsThere = (room: Channel<At, string>) => room.members.map(({ subject, state }) => [subject, state?.line]);
  await expect
    .poll(() => whoIsThere(desk), SOON)
    .toEqual([
      [ann.subject, 1],
      [ben.subject, 2],
    ]);
  await expect.poll(() => whoIsThere(other), SOON).toEqual(whoIsThere(desk));
  await other.setState({ line: 9 });
  await expect.poll(() => desk.members[1]?.state, SOON).toEqual({ line: 9 });
  await other.send('hello');
  await expect
    .poll(() => seen.told.at(-1), SOON)
    .toMatchObject({
      type: 'message',
      from: { subject: ben.subject, member: other.members[1]!.id },
      payload: 'hello',
    });
  benLeaves.abort();
  await expect.poll(() => whoIsThere(desk), SOON).toEqual([[ann.subject, 1]]);
  expect(there.failure).toMatchObject({ name: 'AbortError' });
  const hidden = channel<At, string>(ben.skep, 'note', { key: await noteOf({ open: false, owner: ann.subject }) });
  await expect(hidden.send('x')).rejects.toSatisfy((error) => isSkepError(error, 'v2.channel_not_found'));
  await ann.skep.auth.logout();
  await expect.poll(() => seen.failure, SOON).not.toBeNull();
});
