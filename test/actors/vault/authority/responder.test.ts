import { readFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { NO_NAMES } from '#actors/vault/pki/alt-name.ts';
import { OCSP_MALFORMED } from '#actors/vault/pki/ocsp-response.ts';
import { toPem } from '#actors/vault/pki/pem.ts';
import { Workbench } from '../pki/authority.ts';
import { newRequest, newWorld, type World } from '../pki-world.ts';

let world: World;
let serial = '';
beforeEach(async () => {
  world = newWorld();
  world.clock.set(Date.now());
  const order = {
    kind: 'service',
    subject: { commonName: 'x' },
    names: NO_NAMES,
    isRsa: false,
    issuedBy: 't',
  } as const;
  serial = (await world.book.issue({ ...order, spki: newRequest().spki, lifetimeMs: 1e9 }))!.serial;
});

/** OpenSSL's request for our certificate, without a nonce. */
async function requestFor(bench: Workbench, ...args: string[]): Promise<Buffer> {
  bench.write('ca.pem', (await world.keys.authority()).pem);
  bench.write('leaf.pem', toPem('CERTIFICATE', Buffer.from((await world.book.read(serial))!.certificate, 'base64')));
  const asked = bench.run(
    'openssl',
    'ocsp',
    '-issuer',
    'ca.pem',
    '-cert',
    'leaf.pem',
    ...args,
    '-reqout',
    'request.der',
  );
  expect(asked.ok, asked.text).toBe(true);
  return readFileSync(bench.path('request.der'));
}

function verdict(bench: Workbench, der: Buffer): string {
  bench.write('response.der', der);
  const files = ['-issuer', 'ca.pem', '-CAfile', 'ca.pem', '-cert', 'leaf.pem', '-no_nonce'];
  return bench.run('openssl', 'ocsp', ...files, '-reqin', 'request.der', '-respin', 'response.der').text;
}

test('GET: a kept answer is found by its path as a client writes it, encoded or not, and by no other spelling', async () => {
  using bench = new Workbench();
  const text = (await requestFor(bench, '-no_nonce')).toString('base64');
  expect(world.responder.kept(text)).toBeNull();
  const first = await world.responder.answerGet(text);
  expect([world.responder.kept(text), world.responder.kept(encodeURIComponent(text))]).toEqual([first, first]);
  expect(world.responder.kept(`%${text.charCodeAt(0).toString(16)}${text.slice(1)}`)).toBeNull();
  world.clock.advance(limits.pki.ocspKeptMs);
  expect([world.responder.kept(text), world.responder.kept(encodeURIComponent(text))]).toEqual([null, null]);
});

test('GET: the second answer is the first one, until a revocation', async () => {
  using bench = new Workbench();
  const text = (await requestFor(bench, '-no_nonce')).toString('base64');
  const first = await world.responder.answerGet(text);
  expect(verdict(bench, first.der)).toMatch(/leaf\.pem: good/);
  world.clock.advance(1000);
  expect(await world.responder.answerGet(text)).toBe(first);
  await world.book.revoke(serial, 'keyCompromise');
  const after = await world.responder.answerGet(text);
  expect(verdict(bench, after.der)).toMatch(/leaf\.pem: revoked/);
  expect(after.times!.nextUpdateMs - after.times!.thisUpdateMs).toBe(limits.pki.ocspMs);
  world.clock.advance(limits.pki.ocspKeptMs + 1000);
  expect(await world.responder.answerGet(text)).not.toBe(after);
});

test('an answer that a revocation overtook is not kept', async () => {
  using bench = new Workbench();
  const text = (await requestFor(bench, '-no_nonce')).toString('base64');
  const read = world.store.get.bind(world.store);
  const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  world.store.get = async (path) => {
    const found = await read(path);
    if (!path.endsWith(serial)) return found;
    world.store.get = read;
    reached.resolve();
    await goOn.promise;
    return found;
  };
  const slow = world.responder.answerGet(text);
  await reached.promise;
  await world.book.revoke(serial, 'superseded');
  goOn.resolve();
  expect(verdict(bench, (await slow).der)).toMatch(/leaf\.pem: good/); // what was true when it looked
  expect(verdict(bench, (await world.responder.answerGet(text)).der)).toMatch(/leaf\.pem: revoked/);
});

test('POST with a nonce is never kept, and echoes it', async () => {
  using bench = new Workbench();
  const reply = await world.responder.answer(await requestFor(bench));
  expect(reply.times).toBeNull();
  expect(verdict(bench, reply.der)).toContain('Response verify OK');
});

test.each([['!!'], [''], ['AAAA'], ['MA==MA==']])('GET of %j is malformed, and never kept', async (text) => {
  expect((await world.responder.answerGet(text)).der).toBe(OCSP_MALFORMED);
});
