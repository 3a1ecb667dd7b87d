/** The rooms of single threads, over channels whose far side is in this one. */
import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { Channel } from '#actors/protocol/channel.ts';
import type { ThreadName } from '#actors/protocol/topic.ts';
import { AuditSealerRoom } from '#runtime/rooms/audit-sealer-room.ts';
import { CourierRoom } from '#runtime/rooms/courier-room.ts';
import { IntakeWriterRoom } from '#runtime/rooms/intake-writer-room.ts';
import { TenantHostRoom } from '#runtime/rooms/tenant-host-room.ts';
import { VaultKeeperRoom } from '#runtime/rooms/vault-keeper-room.ts';
import { Shared } from '#runtime/supervisor/shared.ts';
import { pairOfPorts } from '#test/kit/ports.ts';
import { unasked } from '#test/kit/unasked.ts';

const gone = new Promise<string>(() => undefined);
const none = (): void => undefined;
const KEY = createSecretKey(Buffer.alloc(32));

/** Main's end of a channel, and that of the thread. */
function pair(name: ThreadName): [Channel, Channel] {
  const [near, far] = pairOfPorts();
  return [new Channel(near, 'main', name), new Channel(far, name, 'main')];
}

test('intake: a node without its thread has nothing to retire or to rotate', async () => {
  const room = (channel: Channel | undefined) =>
    new IntakeWriterRoom({
      threads: { channel: () => channel },
      events: { record: none },
    });
  await room(undefined).retire();
  await room(undefined).rotate();
  await room(undefined).seal();
  const [near, far] = pair('intake-writer');
  const heard: unknown[] = [];
  const hear = (): null => {
    heard.push('heard');
    return null;
  };
  far.answer('thread.retire', hear);
  far.answer('intake.rotate', hear);
  far.answer('intake.seal', hear);
  far.answer('intake.refused', ({ dropped }) => {
    heard.push(dropped);
    return null;
  });
  await room(near).retire();
  await room(near).rotate();
  await room(near).seal();
  await room(near).refused({ counts: [], lines: [], dropped: 3 });
  expect(heard).toEqual(['heard', 'heard', 'heard', 3]);
});

test("intake's own events are recorded in its log", async () => {
  const [near, far] = pair('intake-writer');
  const recorded: unknown[] = [];
  const room = new IntakeWriterRoom({
    threads: { channel: () => near },
    events: { record: (log, source, { action }) => void recorded.push([log, source, action]) },
  });
  room.attach({ channel: near });
  const event = {
    ts: '',
    actor: 'internal',
    action: 'intake.log.rotate',
    target: '',
    outcome: 'ok',
    request_id: '',
    data: {},
  };
  far.tell('audit.event', event);
  await expect.poll(() => recorded, { interval: 1 }).toEqual([['node/intake', 'intake', 'intake.log.rotate']]);
});

test('a node without a vault refuses what only a vault has, and waits for nothing of it', async () => {
  const events = { hand: unasked, newest: unasked, last: unasked };
  const room = new VaultKeeperRoom({
    threads: { channel: () => undefined, startAhead: () => Promise.resolve() },
    events,
    published: () => undefined,
  });
  for (const asked of [
    room.signingKey('a', true),
    room.forgetKey('a'),
    room.tenantSecret({ tenant: 'a:b:c:d', name: 'x' }),
  ])
    await expect(asked).rejects.toThrow('this node has no vault');
  await room.recall();
  await room.reload();
});

test('the vault starts ahead of the threads whose secrets it holds', async () => {
  const [near, far] = pair('vault-keeper');
  const started: string[] = [];
  const room = new VaultKeeperRoom({
    threads: { channel: () => near, startAhead: (name) => Promise.resolve(void started.push(name)) },
    events: { hand: unasked, newest: unasked, last: unasked },
    published: () => undefined,
  });
  far.answer('vault.reveal', ({ name }) => ({ value: `secret of ${name}` }));
  const reveal = await room.startAhead();
  expect([started, await reveal('smtp')]).toEqual([['vault-keeper'], 'secret of smtp']);
});

function sealerRoom(channel: Channel | undefined, shared = new Shared()) {
  const heard: unknown[] = [];
  const room = new AuditSealerRoom({
    threads: { channel: () => channel },
    shared,
    vault: { signingKey: (path, make) => Promise.resolve(void heard.push([path, make])).then(() => ({ key: KEY })) },
    events: {
      attachSealer: (sealer) => void heard.push(['events', sealer]),
      settle: (ms) => Promise.resolve(void heard.push(['settle', ms])),
    },
    ask: ({ verb }) => Promise.resolve(`answer to ${verb}`),
  });
  return { room, heard };
}

test('the sealer has what it asks for, and gets the keys when it opens and when they change', async () => {
  const [near, far] = pair('audit-sealer');
  const shared = new Shared();
  shared.replace([], [{ kid: 'k4.pid.one', issuer: 'iam', private_pem: '', created_at: '' }]);
  const { room, heard } = sealerRoom(near, shared);
  room.attach({ channel: near, gone });
  expect(heard.splice(0)).toEqual([['events', near]]);
  expect(await far.ask('node.ask', { verb: 'tenants.awake', body: null })).toBe('answer to tenants.awake');
  await far.ask('vault.key', { path: 'audit/x' });
  expect(heard.splice(0)).toEqual([['audit/x', true]]);
  const told: unknown[] = [];
  far.answer('host.ring', (ring) => {
    told.push(ring.map(({ kid }) => kid));
    return null;
  });
  far.answer('host.trust', (keys) => {
    told.push(keys);
    return null;
  });
  await room.opened({ channel: near, gone });
  await room.tellKeys();
  expect(told).toEqual([['k4.pid.one'], [], ['k4.pid.one'], []]);
  near.close('a drill');
  await room.tellKeys(); // a sealer that is dying is no failure
  await sealerRoom(undefined).room.tellKeys();
});

test('what waits for the sealer settles before it drains', async () => {
  const [near] = pair('audit-sealer');
  const { room, heard } = sealerRoom(near);
  await room.draining();
  expect(heard).toEqual([['settle', limits.audit.nodeEventsSettleMs]]);
});

test('the courier drains when the relays have handed over what is on its way', async () => {
  const heard: string[] = [];
  const room = new CourierRoom({
    courier: () => undefined,
    relays: { draining: (name) => Promise.resolve(void heard.push(name)) },
    spansHandedOver: () => Promise.resolve(void heard.push('spans')),
  });
  room.attach();
  await room.draining();
  expect(heard).toEqual(['courier', 'spans']);
  expect(await room.mails()).toEqual([]); // a node without a courier
});

test('a host is asked for itself by verb, and has its own asks of the node answered', async () => {
  const [near, far] = pair('tenant-host');
  const room = new TenantHostRoom({
    threads: { hold: () => Promise.resolve(), hosts: [near], host: () => near, spare: undefined, shardCount: 8 },
    shared: new Shared(),
    vault: { tenantSecret: ({ name }) => Promise.resolve({ value: name }) },
    sealer: { tellKeys: unasked, tellSuspended: () => Promise.resolve() },
    ask: ({ verb }) => Promise.resolve(`answer to ${verb}`),
    confirm: () => Promise.resolve(true),
    relay: () => Promise.resolve(null),
  });
  room.attach({ channel: near });
  expect(room.shardCount).toBe(8);
  expect(await far.ask('vault.tenant-secret', { tenant: 'a:b:c:d', name: 'x' })).toEqual({ value: 'x' });
  expect(await far.ask('node.ask', { verb: 'tenant.register', body: null })).toBe('answer to tenant.register');
  const asked: unknown[] = [];
  far.answer('actor.ask', (ask) => {
    asked.push(ask);
    return ask.verb === 'awake' ? [2] : null;
  });
  expect(await room.awake()).toEqual([[2]]);
  await room.forget(1, 7);
  await room.beginJob({ shard: 1, no: 7 }, { kind: 'admit', shard: 1, no: 7 });
  await room.ask(1, 7, 'data', 'schema.provision', null);
  expect(asked).toEqual([
    { tenantNo: 0, service: 'host', verb: 'awake', body: null },
    { tenantNo: 7, service: 'host', verb: 'forget', body: null },
    { tenantNo: 7, service: 'host', verb: 'copies.begin', body: { kind: 'admit', shard: 1, no: 7 } },
    { tenantNo: 7, service: 'data', verb: 'schema.provision', body: null },
  ]);
});
