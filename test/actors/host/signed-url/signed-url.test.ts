/** Signed URLs without threads: what a changed byte, another order, another tenant, a later second or a replaced key makes of one. */
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Activation } from '#actors/host/activation.ts';
import { Call } from '#actors/host/call.ts';
import { Exclusive } from '#actors/host/exclusive.ts';
import { rotateKeys } from '#actors/host/signed-url/keys.ts';
import { openUrl, signerOf, signUrl, type OpenUrl, type UrlFault } from '#actors/host/signed-url/signed-url.ts';
import { SIGNERS } from '#actors/host/signed-url/signers.ts';
import { Work } from '#actors/host/work.ts';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { IdSource } from '#actors/kit/id.ts';
import { ringOf } from '#actors/kit/token/ring.ts';
import { routes } from '#actors/data/routes.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import { ANONYMOUS } from '#actors/protocol/principal.ts';
import { limits } from '#config/limits.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import { fc } from '#test/kit/property.ts';

const ANN = { ...ANONYMOUS, type: 'user', subject: 'ann', tenant: 'acme:desk:prod:main', roles: ['reader'] } as const;
const STATE = { sha256: 'ab'.repeat(32), name: 'a.png', content_type: 'image/png' };
const WISH = { lifeSeconds: 60, disposition: 'inline' } as const;
const SIGNED = routes.read_signed;

let clock: SimulatedClock;
let tenant: Activation;
beforeEach(() => {
  clock = new SimulatedClock();
  tenant = tenantAt('acme:desk:prod:main');
});

function tenantAt(key: string): Activation {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const context = { clock, ids: new IdSource(clock), log, random: randomBytes, ring: ringOf([]) };
  const product = { name: 'desk', entities: {}, settings: {} };
  const position = parsePosition(key)!;
  const made = { position, tenantNo: 1, context, product, store: new MemoryStore(), exclusive: new Exclusive() };
  SIGNERS.set(made, {
    nameOf: (_work, { subject }) => `user.${subject}`,
    find: (_work, name) => (name === 'user.ann' ? ANN : null),
  });
  return made;
}

function callOf(row: typeof SIGNED | typeof routes.sign, params: string, query: string, at: Activation): Call {
  const route = { no: 1, name: 'x', service: 'data', row, paramNames: ['entity', 'id'] };
  const call = new Call(0, route, 1, 'GET', params, query, '', 'r', '', '');
  call.tenant = at;
  return call;
}

function sign(at = tenant, wish: { lifeSeconds: number; disposition: 'inline' | 'attachment' } = WISH): string {
  const call = callOf(routes.sign, 'pap%C3%A9r\n7', '', at);
  const file = { part: 'scan', state: STATE };
  const { url } = signUrl(call, 'data', SIGNED, 'user.ann', file, wish);
  call.commit();
  return url;
}

/** What the node makes of a URL: null where no route takes its path, and the door no position. */
function open(url: string, at = tenant, service = 'data'): OpenUrl | UrlFault | null {
  const [path = '', query = ''] = url.split(/\?(.*)/s, 2);
  const match = /^\/data\/rest\/([^/]+)\/id\/([^/]+)\/signed$/.exec(path);
  return match === null ? null : openUrl(callOf(SIGNED, `${match[1]}\n${match[2]}`, query, at), service);
}

const isIn = (opened: OpenUrl | UrlFault | null): boolean => typeof opened === 'object' && opened !== null;

describe('a signed URL', () => {
  test('says what it is for, and opens', () => {
    const url = sign();
    const [path, query] = url.split('?') as [string, string];
    expect(path).toBe('/data/rest/pap%C3%A9r/id/7/signed');
    expect(query.startsWith('tenant=acme:desk:prod:main&part=scan&state=')).toBe(true);
    const opened = open(url);
    expect(opened).toMatchObject({ part: 'scan', disposition: 'inline', signer: ANN });
    expect((opened as OpenUrl).isOf(STATE)).toBe(true);
    for (const other of [{ name: 'b.png' }, { sha256: 'cd'.repeat(32) }, { content_type: 'text/html' }])
      expect((opened as OpenUrl).isOf({ ...STATE, ...other })).toBe(false);
  });

  test('is refused with any one character changed, left out or put in, wherever it is', () => {
    const url = sign();
    // The door lets nothing else in (UNSOUND_TARGET).
    const other = fc.string({ unit: 'grapheme-ascii', minLength: 0, maxLength: 2 });
    fc.assert(
      fc.property(fc.nat(url.length - 1), other, fc.boolean(), (at, text, replaces) => {
        const changed = url.slice(0, at) + text + url.slice(replaces ? at + 1 : at);
        expect([changed, changed === url || !isIn(open(changed))]).toEqual([changed, true]);
      }),
      { numRuns: 3000 },
    );
    for (let at = 0; at < url.length; at++) {
      const spelled = `${url.slice(0, at)}%${url.charCodeAt(at).toString(16)}${url.slice(at + 1)}`;
      expect([spelled, isIn(open(spelled))]).toEqual([spelled, false]);
    }
  });

  test('is refused with its parameters in another order, twice, with another one, or without one', () => {
    const [path, query] = sign().split('?') as [string, string];
    const pairs = query.split('&');
    fc.assert(
      fc.property(fc.shuffledSubarray(pairs), fc.constantFrom('', 'x=1', ...pairs), (some, more) => {
        const changed = [...some, ...(more === '' ? [] : [more])].join('&');
        expect([changed, changed === query || !isIn(open(`${path}?${changed}`))]).toEqual([changed, true]);
      }),
      { numRuns: 2000 },
    );
  });

  test('ends with its second, and never begins again', () => {
    const url = sign();
    clock.advance(59_999 - (clock.now() % 1000));
    expect(isIn(open(url))).toBe(true);
    clock.advance(1000);
    expect(open(url)).toBe('over');
    clock.advance(1e12);
    expect(open(url)).toBe('over');
  });

  test('opens at its own tenant and its own service only, although others have a key of the same number', () => {
    const other = tenantAt('acme:desk:prod:other');
    const again = tenantAt('acme:desk:prod:main'); // another tenant of the same key: its store is another one
    const url = sign();
    for (const at of [other, again]) {
      sign(at);
      expect([open(url, at), isIn(open(sign(at), at))]).toEqual(['invalid', true]);
    }
    expect(open(url.replace('prod:main', 'prod:other'), other)).toBe('invalid');
    expect(open(url, tenant, 'content')).toBe('invalid');
  });

  test('stands and falls with its signer', () => {
    const url = sign();
    let isThere = true;
    SIGNERS.set(tenant, { nameOf: () => null, find: () => (isThere ? { ...ANN, roles: [] } : null) });
    expect(open(url)).toMatchObject({ signer: { roles: [] } });
    isThere = false;
    expect(open(url)).toBe('over');
  });

  test('is too long to look at beyond a bound', () => {
    expect(open(`${sign()}${'x'.repeat(limits.signedUrl.queryCharsMax)}`)).toBe('invalid');
  });
});

describe('the keys', () => {
  const rotate = (ends: boolean): number => {
    const work = new Work(tenant);
    const id = rotateKeys(work, 'data', ends);
    work.commit();
    return id;
  };

  test('two generations count: a URL outlives one rotation, not two', () => {
    const first = sign();
    expect(rotate(false)).toBe(2);
    const second = sign();
    expect([isIn(open(first)), isIn(open(second)), second.includes('&key=2&')]).toEqual([true, true, true]);
    expect(rotate(false)).toBe(3);
    expect([open(first), isIn(open(second))]).toEqual(['invalid', true]);
  });

  test('a rotation that ends what is out ends it at once', () => {
    const [first, other] = [sign(), sign()];
    expect(rotate(true)).toBe(2);
    expect([open(first), open(other), isIn(open(sign()))]).toEqual(['invalid', 'invalid', true]);
  });

  test('rotate by time, and no URL loses its key before its own end', () => {
    const wish = { lifeSeconds: limits.signedUrl.lifeSecondsMax, disposition: 'attachment' } as const;
    const made: { readonly url: string; readonly endsAt: number }[] = [];
    const keys = new Set<string>();
    for (let day = 0; day < 120; day++) {
      const url = sign(tenant, wish);
      keys.add(/&key=(\d+)/.exec(url)![1]!);
      made.push({ url, endsAt: clock.now() + wish.lifeSeconds * 1000 });
      for (const { url: old, endsAt } of made) if (clock.now() < endsAt - 1000) expect(isIn(open(old))).toBe(true);
      clock.advance(24 * 3600_000);
    }
    expect([...keys]).toEqual(['1', '2', '3', '4']);
  });

  test('a clock that was set back makes no key', () => {
    sign();
    clock.advance(-limits.signedUrl.keyLifeMs * 2);
    expect(sign()).toContain('&key=1&');
  });
});

test('a caller whom the tenant does not keep signs nothing', () => {
  const call = callOf(routes.sign, 'paper\n7', '', tenant);
  expect(signerOf(call)).toBe(null);
  call.principal = ANN;
  expect(signerOf(call)).toBe('user.ann');
  call.principal = { ...ANN, subject: 'bob' };
  expect(signerOf(call)).toBe(null);
  SIGNERS.set(tenant, { nameOf: () => null, find: () => ANN });
  call.principal = ANN;
  expect(signerOf(call)).toBe(null);
});
