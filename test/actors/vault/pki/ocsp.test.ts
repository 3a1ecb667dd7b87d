import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { BasicOCSPResponse, OCSPResponse } from 'pkijs';
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { readOcspRequest, type OcspRequest } from '#actors/vault/pki/ocsp-request.ts';
import { OCSP_MALFORMED, OCSP_TRY_LATER, answerOcsp, type SerialState } from '#actors/vault/pki/ocsp-response.ts';
import { element, explicit, sequence } from '#actors/vault/pki/der-write.ts';
import { newSerial, serialText } from '#actors/vault/pki/serial.ts';
import { Workbench, damaged, newAuthority } from './authority.ts';

/** An authority with a good, a revoked and a foreign-to-us serial, and a bench that holds their files. */
function scene(bench: Workbench) {
  const authority = newAuthority();
  const good = authority.leaf({ commonName: 'good' });
  const revoked = authority.leaf({ commonName: 'revoked' });
  const states = new Map<string, SerialState>([
    [serialText(good.serial), 'good'],
    [serialText(revoked.serial), { revokedAtMs: Date.now() - 5000, reason: 'keyCompromise' }],
  ]);
  bench.write('ca.pem', authority.pem);
  bench.write('good.pem', good.pem);
  bench.write('revoked.pem', revoked.pem);
  const unknown = `0x${serialText(newSerial(randomBytes))}`;
  /** Lets OpenSSL ask and judge our answer. */
  const ask = (...args: string[]) => {
    const asked = bench.run('openssl', 'ocsp', '-issuer', 'ca.pem', ...args, '-reqout', 'request.der');
    expect(asked.ok, asked.text).toBe(true);
    const request = readOcspRequest(readFileSync(bench.path('request.der'))) as OcspRequest;
    const answer = answerOcsp(
      authority.issuer,
      request,
      (serial) => states.get(serialText(serial)) ?? 'unknown',
      Date.now(),
    );
    bench.write('response.der', answer.der);
    // What is asked for is read again, so a new nonce must not be added to it.
    const verdict = bench.run(
      'openssl',
      'ocsp',
      '-issuer',
      'ca.pem',
      '-CAfile',
      'ca.pem',
      '-no_nonce',
      ...args,
      '-reqin',
      'request.der',
      '-respin',
      'response.der',
      '-resp_text',
    );
    return { request, answer, verdict };
  };
  return { authority, ask, unknown };
}

test('openssl: good, revoked and unknown in one request, with its nonce', () => {
  using bench = new Workbench();
  const { ask, unknown } = scene(bench);
  const { verdict, request } = ask('-cert', 'good.pem', '-cert', 'revoked.pem', '-serial', unknown);
  expect(request.ids).toHaveLength(3);
  expect(request.nonce).not.toBeNull();
  expect(verdict.text).toContain('Response verify OK');
  expect(verdict.text).not.toContain('WARNING');
  expect(verdict.text).toMatch(/good\.pem: good/);
  expect(verdict.text).toMatch(/revoked\.pem: revoked/);
  expect(verdict.text).toContain('Reason: keyCompromise');
  expect(verdict.text).toMatch(new RegExp(`${unknown}: unknown`, 'i'));
});

test.each([['sha1'], ['sha256']])('openssl without a nonce, the issuer named by %s', (digest) => {
  using bench = new Workbench();
  const { ask } = scene(bench);
  const { verdict, request, answer } = ask('-no_nonce', `-${digest}`, '-cert', 'good.pem');
  expect(request.nonce).toBeNull();
  expect(verdict.text).toMatch(/good\.pem: good/);
  expect(answer.nextUpdateMs - answer.thisUpdateMs).toBe(3_600_000);
});

test('an issuer named by an unknown hash, and another issuer, are unknown', () => {
  using bench = new Workbench();
  const { ask } = scene(bench);
  expect(ask('-sha512', '-cert', 'good.pem').verdict.text).toContain('good.pem: unknown');
  using other = new Workbench();
  const stranger = scene(other);
  other.write('ca.pem', newAuthority().pem);
  expect(stranger.ask('-no_nonce', '-cert', 'good.pem').verdict.text).toContain('Cert Status: unknown');
});

test('times carry no fraction, and pkijs reads the same answer', async () => {
  using bench = new Workbench();
  const { ask } = scene(bench);
  const { der } = ask('-cert', 'good.pem').answer;
  expect(der.toString('latin1')).not.toMatch(/\d{14}\.\d/);
  const outer = OCSPResponse.fromBER(new Uint8Array(der));
  const basic = BasicOCSPResponse.fromBER(outer.responseBytes!.response.valueBlock.valueHexView);
  expect(basic.tbsResponseData.responses).toHaveLength(1);
  expect(basic.tbsResponseData.producedAt.getMilliseconds()).toBe(0);
});

test('answers without a signature are what openssl calls them', () => {
  using bench = new Workbench();
  for (const [der, text] of [
    [OCSP_MALFORMED, 'malformedrequest'],
    [OCSP_TRY_LATER, 'trylater'],
  ] as const) {
    bench.write('r.der', der);
    expect(bench.run('openssl', 'ocsp', '-respin', 'r.der', '-noverify').text).toContain(text);
  }
});

test('too many serials, and none, are malformed', () => {
  using bench = new Workbench();
  const { ask } = scene(bench);
  const [id] = ask('-no_nonce', '-cert', 'good.pem').request.ids;
  const requestOf = (count: number): Buffer =>
    sequence(sequence(sequence(...Array.from({ length: count }, () => sequence(id!.bytes)))));
  expect(readOcspRequest(requestOf(limits.pki.ocspSerialsMax))).toMatchObject({ nonce: null });
  expect(readOcspRequest(requestOf(limits.pki.ocspSerialsMax + 1))).toContain('more than');
  expect(readOcspRequest(requestOf(0))).toContain('no serial');
  const versioned = sequence(sequence(element(explicit(0), Buffer.of(2, 1, 1)), sequence(sequence(id!.bytes))));
  expect(readOcspRequest(versioned)).toContain('version');
});

test('every damaged byte and every cut of a request is read or refused, and answered', () => {
  using bench = new Workbench();
  const { ask, authority } = scene(bench);
  ask('-cert', 'good.pem', '-cert', 'revoked.pem');
  for (const bytes of damaged(readFileSync(bench.path('request.der')))) {
    const request = readOcspRequest(bytes);
    if (typeof request !== 'string') answerOcsp(authority.issuer, request, () => 'good', Date.now());
  }
});
