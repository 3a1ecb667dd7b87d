/** `preset` of a sign-in provider in product.yaml: what it fills in, what it needs, and what is told of the rest. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadProduct } from '#config/definitions/load-product.ts';
import { PRESET_NAMES, PRESETS } from '#config/definitions/oauth-presets.ts';
import { placeText } from '#config/problem.ts';

const dir = mkdtempSync(join(tmpdir(), 'skep-product-'));
afterAll(() => rmSync(dir, { recursive: true }));

const pem = (namedCurve: string): string =>
  generateKeyPairSync('ec', { namedCurve }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const env = { SECRET: 's', P8: pem('P-256'), P384: pem('P-384'), TORN: '-----BEGIN PRIVATE KEY-----\nSECRETKEY' };

function load(rest: string) {
  const head =
    'name: x\noauth:\n  providers:\n    corp:\n      client_id: a\n      redirect_uri: https://app.example.org/in\n';
  writeFileSync(join(dir, 'product.yaml'), head + rest.replaceAll(/^(?=.)/gm, '      '));
  return loadProduct(dir, { env });
}

function providerOf(rest: string) {
  const loaded = load(rest);
  if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
  return loaded.product.settings.oauth!.providers['corp'];
}

/** `line:column message / mend`. */
function told(rest: string): string[] {
  const loaded = load(rest);
  if (!('problems' in loaded)) throw new Error('loaded without problems');
  return loaded.problems.map((one) => `${placeText(one).split('product.yaml:')[1]} ${one.message} / ${one.mend}`);
}

const secret = 'client_secret: ${SECRET}\n';
const own = 'authorization: https://git.example.org/a, token: https://git.example.org/t';
const apple = 'preset: apple\nteam_id: T\nkey_id: K\n';

describe('a preset', () => {
  test.each(PRESET_NAMES)('%s needs no more than what the provider gave the product', (preset) => {
    const given = preset === 'apple' ? `${apple}private_key: \${P8}\n` : `preset: ${preset}\n${secret}`;
    const { issuer, scopes, hosts } = PRESETS[preset];
    expect(providerOf(given)).toMatchObject({ preset, issuer, scopes, hosts, roles: [], link: 'none' });
  });

  test('of Apple has a key that signs, and no secret', () => {
    const row = providerOf(`${apple}private_key: \${P8}\n`);
    expect(row).toMatchObject({ client_secret: '', signer: { team_id: 'T', key_id: 'K', private_key: env.P8 } });
  });

  test('takes every directory of Microsoft unless the product names one', () => {
    const microsoft = `preset: microsoft\n${secret}`;
    expect(providerOf(microsoft)?.tenant).toBe('common');
    expect(providerOf(`${microsoft}tenant: organizations\n`)?.tenant).toBe('organizations');
    const cloud = providerOf(`${microsoft}issuer: https://login.microsoftonline.us/\n`);
    expect(cloud?.issuer).toBe('https://login.microsoftonline.us/');
  });

  test('yields to what is written: an issuer, scopes', () => {
    const gitlab = `preset: gitlab\n${secret}issuer: https://git.example.org\nscopes: [openid]\n`;
    expect(providerOf(gitlab)).toMatchObject({ issuer: 'https://git.example.org', scopes: ['openid'] });
  });

  test('with endpoints of one’s own links users under the server that numbers them', () => {
    const user = 'user: https://api.git.example.org/u, emails: https://api.git.example.org/e';
    const row = providerOf(`preset: github\n${secret}endpoints: { ${own}, ${user} }\n`);
    expect(row?.issuer).toBe('https://api.git.example.org');
    expect(row?.endpoints?.token).toBe('https://git.example.org/t');
  });

  test('is not needed: a provider without one is as it was', () => {
    expect(providerOf(`issuer: https://sso.example.org\n${secret}`)).toEqual({
      issuer: 'https://sso.example.org',
      client_id: 'a',
      client_secret: 's',
      scopes: ['openid', 'email', 'profile'],
      redirect_uri: 'https://app.example.org/in',
      roles: [],
      link: 'none',
    });
  });
});

describe('of a preset is told', () => {
  test.each([
    [
      `preset: gogle\n${secret}`,
      [
        '7:15 preset must be one of google, microsoft, apple, github, gitlab, discord, not "gogle" / did you mean "google"?',
      ],
    ],
    [secret, ['4:5 the key "issuer" is missing / add `issuer: https://example.org` (the URL of the issuer)']],
    [
      'preset: google\n',
      [
        '4:5 the key "client_secret" is missing / add `client_secret: ${NAME}` (the secret that the provider gave the product)',
      ],
    ],
    [
      'preset: apple\n',
      [
        '4:5 the key "team_id" is missing / add `team_id: A1B2C3D4E5` (the id of the team at Apple)',
        '4:5 the key "key_id" is missing / add `key_id: F6G7H8I9J0` (the id of the key at Apple)',
        '4:5 the key "private_key" is missing / add `private_key: ${NAME}` (the private key of the team, PEM)',
      ],
    ],
    [
      `${apple}private_key: written\n`,
      ['10:20 private_key must come from the environment / write `private_key: ${NAME}` and set NAME'],
    ],
    [
      `${apple}private_key: \${P384}\n`,
      ['10:20 private_key must be a private key of the curve P-256 in PEM / set $P384 to the text of AuthKey_….p8'],
    ],
    [
      `${apple}private_key: \${TORN}\n`,
      ['10:20 private_key must be a private key of the curve P-256 in PEM / set $TORN to the text of AuthKey_….p8'],
    ],
    [
      `${apple}private_key: \${P8}\n${secret}`,
      ['11:7 the preset apple has no client_secret: private_key signs one for each sign-in / leave it out'],
    ],
    [
      `preset: google\n${secret}tenant: common\nkey_id: K\n`,
      [
        '9:7 tenant belongs to the preset microsoft / leave it out, or set preset: microsoft',
        '10:7 key_id belongs to the preset apple / leave it out, or set preset: apple',
      ],
    ],
    [
      `preset: microsoft\n${secret}tenant: contoso.example\n`,
      [
        '9:15 tenant must be common, organizations, consumers, or the id of a directory, not "contoso.example" / write for example `tenant: common`',
      ],
    ],
    [
      `preset: microsoft\n${secret}issuer: https://login.microsoftonline.com/contoso/v2.0\n`,
      [
        '9:15 issuer of the preset microsoft must have no path / write `issuer: https://login.microsoftonline.us`, and the directory as `tenant: …`',
      ],
    ],
    [
      `preset: github\n${secret}issuer: https://git.example.org\n`,
      [
        '9:7 issuer belongs to providers of OpenID Connect, which this preset is not / leave it out; for a server of your own write endpoints: authorization, token and user',
      ],
    ],
    [
      `preset: discord\n${secret}endpoints: { authorization: "https://git.example.org/a", user: "https://git.example.org/u" }\n`,
      ['9:7 the key "token" is missing / add `token: https://example.org` (the URL that takes the code)'],
    ],
    [
      `preset: discord\n${secret}endpoints: { ${own}, user: ftp://git.example.org }\n`,
      [
        '9:102 user must be the URL that says who the user is, not "ftp://git.example.org" / write for example `user: https://example.org`',
      ],
    ],
    [
      `preset: github\n${secret}endpoints: { ${own}, user: "https://git.example.org/u" }\n`,
      ['9:7 the key "emails" is missing / add `emails: https://example.org` (the URL of the user\'s addresses)'],
    ],
    [
      `preset: google\n${secret}endpoints: { ${own}, user: "https://git.example.org/u" }\n`,
      [
        '9:7 endpoints belongs to the presets github and discord / leave it out: other providers are found by their issuer',
      ],
    ],
    [
      `preset: google\n${secret}scopes: [email]\n`,
      [
        '9:15 scopes must be a list of scopes with openid among them, not a list / write for example `scopes: [openid, email, profile]`',
      ],
    ],
    [
      `issuer: https://sso.example.org\n${secret}scopes: [email]\n`,
      [
        '9:15 scopes must be a list of scopes with openid among them, not a list / write for example `scopes: [openid, email, profile]`',
      ],
    ],
    [
      'preset: google\nlink: all\n',
      [
        '4:5 the key "client_secret" is missing / add `client_secret: ${NAME}` (the secret that the provider gave the product)',
        '8:13 link must be one of none, email_verified, not "all" / write for example `link: none`',
      ],
    ],
  ])('%j: %j', (rest, problems) => expect(told(rest)).toEqual(problems));
});
