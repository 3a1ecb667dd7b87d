/** `passkeys` of product.yaml: what is taken, and what is told of the rest. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadProduct } from '#config/definitions/load-product.ts';
import { placeText } from '#config/problem.ts';

const dir = mkdtempSync(join(tmpdir(), 'skep-product-'));
afterAll(() => rmSync(dir, { recursive: true }));

function load(text: string) {
  writeFileSync(join(dir, 'product.yaml'), text);
  return loadProduct(dir, { env: {} });
}

function passkeysOf(text: string) {
  const loaded = load(text);
  if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
  return loaded.product.settings.passkeys;
}

/** `file:line:column message / mend`, files relative to the checkout. */
function told(text: string): string[] {
  const loaded = load(text);
  if (!('problems' in loaded)) throw new Error('loaded without problems');
  return loaded.problems.map((one) => `${placeText(one).slice(dir.length + 1)} ${one.message} / ${one.mend}`);
}

const passkeys = (rest: string): string => `name: x\npasskeys:\n  rp_id: example.org\n  rp_name: X\n${rest}`;

test('turns passkeys on; verification of the user is preferred unless it says otherwise', () => {
  const text = passkeys('  origins: [https://app.example.org, "https://example.org:8443"]\n');
  expect(passkeysOf(text)).toEqual({
    rp_id: 'example.org',
    rp_name: 'X',
    origins: ['https://app.example.org', 'https://example.org:8443'],
    user_verification: 'preferred',
  });
  const local = 'name: x\npasskeys: { rp_id: localhost, rp_name: X, origins: ["http://localhost:5173"] }';
  expect(passkeysOf(local)?.rp_id).toBe('localhost');
});

const ORIGIN =
  'must be the origin of a page: https://, host and port, nothing behind them (http:// for localhost alone), not';
test.each([
  [
    '  origins: [https://app.example.com]\n',
    'product.yaml:5:13 passkeys.origins[0] is not within rp_id: app.example.com is neither example.org nor below it / take an origin of example.org, or set rp_id to app.example.com or to a domain above it',
  ],
  [
    '  origins: [https://evilexample.org]\n',
    'product.yaml:5:13 passkeys.origins[0] is not within rp_id: evilexample.org is neither example.org nor below it / take an origin of example.org, or set rp_id to evilexample.org or to a domain above it',
  ],
  [
    '  origins: [http://app.example.org]\n',
    `product.yaml:5:13 origins[0] ${ORIGIN} "http://app.example.org" / give for example https://app.example.org`,
  ],
  [
    '  origins: [https://app.example.org/]\n',
    `product.yaml:5:13 origins[0] ${ORIGIN} "https://app.example.org/" / give for example https://app.example.org`,
  ],
  [
    '  origins: []\n',
    'product.yaml:5:12 origins must be a list of 1 to 32 origins of pages, not a list / write for example `origins: [https://app.example.org]`',
  ],
  [
    '  origins: [https://example.org]\n  user_verification: never\n',
    'product.yaml:6:22 user_verification must be one of preferred, required, not "never" / write for example `user_verification: preferred`',
  ],
])('%j is told as %j', (rest, line) => expect(told(passkeys(rest))).toEqual([line]));
