/** `accounts` of `product.yaml`: sign-ups, captchas, guests. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadProduct } from '#config/definitions/load-product.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { renderProblems } from '#config/problem.ts';

type Files = { readonly 'product.yaml': string };

function load(files: Files, env: Readonly<Record<string, string>>) {
  const dir = mkdtempSync(join(tmpdir(), 'skep-accounts-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, 'product.yaml'), files['product.yaml']);
  return loadProduct(dir, { env });
}

function good(files: Files, env: Readonly<Record<string, string>> = {}): ProductDefinition {
  const loaded = load(files, env);
  if ('problems' in loaded) throw new Error(renderProblems(loaded.problems));
  return loaded.product;
}

function bad(files: Files): string[] {
  const loaded = load(files, {});
  return 'problems' in loaded ? renderProblems(loaded.problems).split('\n') : [];
}

test('says who may make an account; what it leaves out has a safe default', () => {
  const accounts = (text: string) => good({ 'product.yaml': `name: x\n${text}` }).settings.accounts;
  expect(accounts('')).toBeUndefined();
  expect(accounts('accounts: {}')).toEqual({ sign_up: 'closed', roles: [] });
  expect(
    accounts('accounts: { sign_up: open, domains: [example.org], roles: [clerk], password: { min_length: 12 } }'),
  ).toEqual({
    sign_up: 'open',
    domains: ['example.org'],
    roles: ['clerk'],
    password: { min_length: 12 },
  });
});

test('a captcha is a name, or a map with more', () => {
  const captcha = (text: string) =>
    good({ 'product.yaml': `name: x\naccounts: { captcha: ${text} }` }, { S3: 'secret' }).settings.accounts?.captcha;
  expect(captcha('altcha')).toEqual({ provider: 'altcha', difficulty: 50_000 });
  expect(captcha('{ provider: altcha, difficulty: 2000 }')).toEqual({ provider: 'altcha', difficulty: 2000 });
  expect(captcha('{ provider: turnstile, secret: "${S3}" }')).toEqual({ provider: 'turnstile', secret: 'secret' });
});

test('guests have a safe default for what is left out', () => {
  const text = 'name: x\nroles: { shopper: buys }\naccounts: { guests: { roles: [shopper, tenant_viewer] } }';
  const { guests } = good({ 'product.yaml': text }).settings.accounts!;
  expect(guests).toEqual({ roles: ['shopper', 'tenant_viewer'], keep: '720h', max: 10_000 });
});

test.each([
  ['sign_up: yes', 'sign_up must be one of closed, invitation, open'],
  ['roles: [superadmin]', 'roles[0] must be a role for a stranger who signs up'],
  ['roles: [clerk, Platform_Admin]', 'roles[1] must be a role for a stranger who signs up'],
  ['roles: [Tenant_Admin]', 'roles[0] must be a role for a stranger who signs up'],
  ['domains: []', 'domains must be a list of domains'],
  ['domains: [Example.org]', 'domains[0] must be the domain of an e-mail address, in lower case'],
  ['domains: ["@example.org"]', 'domains[0] must be the domain of an e-mail address, in lower case'],
  ['password: { min_length: 7 }', 'min_length must be a whole number from 8 to 128'],
  ['guests: {}', 'the key "roles" is missing'],
  ['guests: { roles: [tenant_admin] }', 'roles[0] must be a role for a stranger who signs up'],
  ['guests: { roles: [], keep: 1h }', 'keep must be a duration from 24h to 8760h'],
  ['guests: { roles: [], max: 0 }', 'max must be a whole number from 1 to 1000000'],
  ['guests: { roles: [shoper] } }\nroles: { shopper: "buys"', 'the product declares no role "shoper"'],
  ['captcha: recapcha', 'captcha must be altcha, or a map whose provider is altcha, turnstile,'],
  ['captcha: turnstile', 'the key "secret" is missing'],
  ['captcha: { provider: recapcha }', 'provider must be'],
  ['captcha: { provider: altcha, difficulty: 10 }', 'difficulty must be a whole number from 1000 to 1000000'],
  ['captcha: { provider: turnstile }', 'the key "secret" is missing'],
  ['captcha: { provider: altcha, secret: x }', 'unknown key "secret"'],
  ['captcha: { provider: hcaptcha, secret: written }', 'secret must come from the environment'],
  ['signup: open', 'unknown key "signup"'],
])('of accounts %j is refused: %s', (line, told) => {
  const [problem] = bad({ 'product.yaml': `name: x\naccounts: { ${line} }\n` });
  expect(problem).toContain('product.yaml:2:');
  expect(problem).toContain(told);
});
