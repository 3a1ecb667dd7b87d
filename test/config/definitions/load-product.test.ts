import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadProduct } from '#config/definitions/load-product.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { placeText, renderProblems } from '#config/problem.ts';
import { temporaryFolders } from '#test/kit/temporary-folders.ts';

const newFolder = temporaryFolders('product');

/** A checkout in a directory of its own. */
function checkout(files: Readonly<Record<string, string>>): string {
  const dir = newFolder();
  for (const [name, text] of Object.entries({ 'product.yaml': 'name: atlas\n', ...files })) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  return dir;
}

function good(files: Readonly<Record<string, string>>, env = {}): ProductDefinition {
  const loaded = loadProduct(checkout(files), { env });
  if ('problems' in loaded) throw new Error(renderProblems(loaded.problems));
  return loaded.product;
}

/** `file:line:column message / mend`, files relative to the checkout. */
function bad(files: Readonly<Record<string, string>>): string[] {
  const dir = checkout(files);
  const loaded = loadProduct(dir, { env: {} });
  if (!('problems' in loaded)) throw new Error('loaded without problems');
  return loaded.problems.map((p) =>
    `${placeText(p).slice(dir.length + 1)} ${p.message} / ${p.mend}`.replaceAll(dir, '.'),
  );
}

/** One entity `city` whose lines start in line 3 of its file. */
const city = (body: string): Record<string, string> => ({
  'entities/city.yaml': `entities:\n  city:\n${body.replaceAll(/^/gm, '    ')}\n`,
});
const field = (text: string): Record<string, string> => city(`fields:\n  name: ${text}`);

describe('a product', () => {
  test('is read with its settings, and the key comes first', () => {
    const product = good(
      {
        'product.yaml':
          'name: atlas\ntoken: {claims: {plan: gold}, expiry: 15m}\nsessions: {mode: managed, max: 3, on_limit: reject}\n' +
          'outbound: {hosts: [api.example.org]}\nstatic_api_key: {secret: "${KEY}", roles: [tenant_viewer]}\n',
        'entities/a.yaml':
          'entities:\n  city:\n    fields:\n      country_id: {type: ref, ref: {entity: country, on_delete: cascade}}\n      name: {type: string, default: x}\n' +
          '    traits: [timestamps, versioned]\n    unique: [name, [country_id, name]]\n    index: [[created_at]]\n' +
          '    access:\n      read: {language: cel, rule: "true"}\n    row_rule:\n      language: cel\n      rule: row.name != ""\n',
        'entities/b.yaml': 'entities: {country: {fields: {id: {type: string}}}}',
      },
      { KEY: 'k' },
    );
    expect(product.settings).toEqual({
      token: { claims: { plan: 'gold' }, expiry: '15m' },
      sessions: { mode: 'managed', max: 3, on_limit: 'reject' },
      outbound: { hosts: ['api.example.org'] },
      static_api_key: { secret: 'k', roles: ['tenant_viewer'] },
    });
    const { city: read, country } = product.entities;
    expect(Object.keys(read!.fields)).toEqual(['id', 'country_id', 'name']);
    expect(read!.fields.id).toEqual({ type: 'ulid' });
    expect(read!.unique).toEqual([['name'], ['country_id', 'name']]);
    expect(read!.traits).toEqual(['timestamps', 'versioned']);
    expect(read!.access.read!.where).toMatch(/entities\/a\.yaml:10:29$/);
    expect(read!.row_rule).toMatchObject({
      rule: 'row.name != ""',
      where: expect.stringMatching(/a\.yaml:13:7$/) as string,
    });
    expect(read!.where).toMatch(/a\.yaml:2:3$/);
    expect(country!.fields.id).toEqual({ type: 'string' });
  });

  const corp = 'name: x\noauth:\n  providers:\n    corp:\n      issuer: https://sso.example.org\n      client_id: a\n';
  const redirect = '      redirect_uri: https://app.example.org/in\n';

  test('names its sign-in providers; what they leave out has a safe default', () => {
    const text = `${corp}      client_secret: "$\{CORP}"\n${redirect}`;
    expect(good({ 'product.yaml': text }, { CORP: 's' }).settings.oauth).toEqual({
      providers: {
        corp: {
          issuer: 'https://sso.example.org',
          client_id: 'a',
          client_secret: 's',
          scopes: ['openid', 'email', 'profile'],
          redirect_uri: 'https://app.example.org/in',
          roles: [],
          link: 'none',
        },
      },
    });
  });

  test.each([
    [
      `${corp}      client_secret: written\n${redirect}`,
      'product.yaml:7:22 client_secret must come from the environment / write `client_secret: ${NAME}` and set NAME',
    ],
    [
      `${corp}${redirect}`,
      'product.yaml:4:5 the key "client_secret" is missing / add `client_secret: ${NAME}` (the secret that the provider gave the product)',
    ],
    [
      `${corp}      client_secret: x\n      redirect_uri: https://app.example.org/in?a=1\n`,
      'product.yaml:8:21 redirect_uri must be an http or https URL without query and fragment, not "https://app.example.org/in?a=1" / write for example `redirect_uri: https://app.example.org/signed-in`',
    ],
    [
      `${corp}      client_secret: x\n${redirect}      roles: [superadmin]\n`,
      'product.yaml:9:15 roles[0] must be a role that a product may confer, not "superadmin" / give for example tenant_user',
    ],
    [
      `${corp}      client_secret: x\n${redirect}      roles: [tenant_user, Env_Admin]\n`,
      'product.yaml:9:28 roles[1] must be a role that a product may confer, not "Env_Admin" / give for example tenant_user',
    ],
    [
      `${corp}      client_secret: x\n${redirect}      link: email\n`,
      'product.yaml:9:13 link must be one of none, email_verified, not "email" / write for example `link: none`',
    ],
    [
      `${corp}      client_secret: x\n${redirect}      secret: y\n`,
      'product.yaml:9:7 unknown key "secret" / known here: preset, issuer, tenant, client_id, client_secret, team_id, key_id, private_key, endpoints, scopes, redirect_uri, redirect_uris, roles, link',
    ],
    [
      'name: x\noauth: {providers: {Corp: {}}}',
      'product.yaml:2:21 "Corp" is not a valid name here / use lower-case letters, digits, _ and -, at most 63 characters',
    ],
  ])('%j is told as %j', (text, told) => expect(bad({ 'product.yaml': text })).toEqual([told]));

  test('a faulty endpoint of the BFF is a fault of the product', () => {
    const [first] = bad({ 'bff/order.yaml': 'name: order' });
    expect(first).toMatch(/^bff\/order\.yaml:1:1 the key "path" is missing /);
  });

  test('a default may come from the create; the texts of its spellings stay texts', () => {
    expect(good(field('{ type: string, default_from: principal.subject }')).entities.city!.fields.name).toEqual({
      type: 'string',
      default_from: 'principal.subject',
    });
    expect(good(field('{ type: string, default: now }')).entities.city!.fields.name!.default).toBe('now');
    const faults = [
      [
        '{ type: integer, default_from: principal.subject }',
        'a field of type integer cannot hold principal.subject / choose one of string, text, ulid, ref',
      ],
      ['{ type: string, default_from: now }', 'a field of type string cannot hold now / choose one of date, datetime'],
      [
        '{ type: string, default: a, default_from: principal.subject }',
        'a field has one default / remove `default` or `default_from`',
      ],
    ];
    for (const [text, fault] of faults) expect(bad(field(text!))).toEqual([expect.stringContaining(fault!)]);
    expect(bad(field('{ type: string, default_from: principal.id }'))[0]).toContain('principal.subject');
    expect(bad(city('fields:\n  id: { type: string, default_from: principal.subject }'))[0]).toContain(
      'the key takes no default_from',
    );
  });

  test('${NAME} outside product.yaml is text', () => {
    expect(good(field("{ type: string, default: '${X}' }")).entities.city!.fields.name!.default).toBe('${X}');
  });
});

describe('problems', () => {
  test.each<[Record<string, string>, string]>([
    [{ 'product.yaml': 'nam: x' }, 'product.yaml:1:1 unknown key "nam" / did you mean "name"?'],
    [
      { 'product.yaml': 'name: x\nstatic_api_key: {secret: "${NO}", roles: []}' },
      'product.yaml:2:26 the environment has no NO / set it (export NO=…), or write the value here',
    ],
    [
      { 'product.yaml': 'name: x\ntoken: {claims: {scope: 1}}' },
      'product.yaml:2:18 "scope" is not a valid name here / the platform sets this claim itself: choose another name',
    ],
    [
      { 'product.yaml': 'name: x\ntoken: {expiry: 900}' },
      'product.yaml:2:17 expiry must be a duration in Go notation from a second to a day, not 900 / write for example `expiry: 15m`',
    ],
    [
      { 'product.yaml': 'name: x\nsessions: {on_limit: evict}' },
      'product.yaml:2:22 on_limit must be one of reject, evict_oldest, not "evict" / write for example `on_limit: reject`',
    ],
    [{ 'entities/x.yml': '' }, 'entities/x.yml only .yaml files are read / rename it to ./entities/x.yaml'],
    [
      { 'entities/x.yaml': '' },
      'entities/x.yaml:1:1 the key "entities" is missing / add `entities: { city: { fields: {} } }` (a map of entities)',
    ],
    [
      { 'entities/x.yaml': 'entities: {City: {fields: {}}}' },
      'entities/x.yaml:1:12 "City" is not a valid name here / use lower-case letters, digits and _, a letter first, at most 63 characters',
    ],
    [
      { 'entities/x.yaml': 'entities: {api_key: {fields: {}}}' },
      'entities/x.yaml:1:12 "api_key" is an entity of the platform / choose another name',
    ],
    [city('fields: {}\naccess: {raed: {}}'), 'entities/city.yaml:4:14 unknown key "raed" / did you mean "read"?'],
    [
      city('fields: {}\naccess: {read: {language: sql, rule: x}}'),
      'entities/city.yaml:4:31 language must be one of cel, not "sql" / write for example `language: cel`',
    ],
    [
      city('fields: {}\ntraits: [softdelete, timestamps, timestamps]'),
      'entities/city.yaml:4:14 traits[0] must be one of soft_delete, versioned, timestamps, not "softdelete" / did you mean "soft_delete"?',
    ],
    [
      city('fields: {}\ntraits: [timestamps, timestamps]'),
      'entities/city.yaml:4:26 the trait timestamps is listed twice / remove one',
    ],
    [
      city('fields: {}\nretention: {activ: 1h}'),
      'entities/city.yaml:4:17 unknown key "activ" / did you mean "active"?',
    ],
    [
      city('fields: {a: {type: string}}\nindex: [[b]]'),
      'entities/city.yaml:4:13 there is no field "b" / did you mean "a"?',
    ],
    [
      city('fields: {a: {type: string}}\nunique: [[a, a]]'),
      'entities/city.yaml:4:14 "a" stands twice in one list / remove one',
    ],
    [
      city('fields: {a: {type: string}}\nindex: [a, [a]]'),
      'entities/city.yaml:4:16 [a] is indexed already, by index[0] / remove one',
    ],
    [
      city('fields: {a: {type: string, unique: true}}\nindex: [a]'),
      'entities/city.yaml:4:13 [a] is indexed already, by the field a / remove one',
    ],
    [
      city('fields: {a: {type: string}}\nindex: [id]'),
      'entities/city.yaml:4:13 [id] is indexed already, by the key / remove one',
    ],
    [
      city('fields: {a: {type: json}}\nindex: [a]'),
      'entities/city.yaml:4:13 a field of type json cannot be indexed / remove "a"',
    ],
    [
      city('fields: {}\nindex: [created_at]'),
      'entities/city.yaml:4:13 there is no field "created_at" / known here: id',
    ],
    [
      field('{ type: strnig }'),
      'entities/city.yaml:4:21 type must be one of string, text, integer, number, decimal, boolean, date, datetime, ulid, uuid, json, enum, ref, file, bytes, not "strnig" / did you mean "string"?',
    ],
    [field('{ tpye: string }'), 'entities/city.yaml:4:15 unknown key "tpye" / did you mean "type"?'],
    [field('{ type: enum }'), 'entities/city.yaml:4:7 an enum field needs its values / add `enum: [first, second]`'],
    [
      field('{ type: enum, enum: [] }'),
      'entities/city.yaml:4:33 enum must be a list of at least one value, not a list / write for example `enum: [open, closed]`',
    ],
    [field('{ type: enum, enum: [a, a] }'), 'entities/city.yaml:4:33 the value "a" is listed twice / remove one'],
    [
      field('{ type: enum, enum: [1] }'),
      "entities/city.yaml:4:34 enum[0] must be a text (quote numbers), not 1 / give for example '1'",
    ],
    [
      field('{ type: string, enum: [a] }'),
      'entities/city.yaml:4:35 enum does not apply to type string / remove it, or change the type: enum goes with enum',
    ],
    [
      field('{ type: boolean, min: 1 }'),
      'entities/city.yaml:4:35 min does not apply to type boolean / remove it, or change the type: min goes with integer, number, decimal',
    ],
    [field('{ type: integer, min: 5, max: 1 }'), 'entities/city.yaml:4:35 min 5 is above max 1 / swap them'],
    [
      field("{ type: string, pattern: 'a(' }"),
      'entities/city.yaml:4:38 pattern is no RE2 expression: error parsing regexp: missing closing ): `a(` / mend it; look-around and back references have no linear form and are not taken',
    ],
    [
      field('{ type: string, format: emial }'),
      'entities/city.yaml:4:37 format must be one of email, url, uri, hostname, ip, ipv4, ipv6, uuid, ulid, date, datetime, time, phone, slug, not "emial" / did you mean "email"?',
    ],
    [
      field('{ type: ref }'),
      'entities/city.yaml:4:7 a ref field needs its target / add `ref: { entity: <name>, on_delete: restrict }`',
    ],
    [
      field('{ type: ref, ref: { entity: cty } }'),
      'entities/city.yaml:4:41 there is no entity "cty" / did you mean "city"?',
    ],
    [
      field('{ type: ref, required: true, ref: { entity: city, on_delete: setnull } }'),
      'entities/city.yaml:4:74 on_delete: setnull needs a field that may be null / add `nullable: true`, or choose restrict',
    ],
    [
      city('fields:\n  country: { type: string }\n  country_id: { type: ref, ref: { entity: city } }'),
      'entities/city.yaml:5:7 its relation "country" has the name of a field / rename the field country or country_id',
    ],
    [
      city('fields: {version: {type: integer}}'),
      'entities/city.yaml:3:14 "version" is a reserved name / choose another name',
    ],
    [
      city('fields: {created_at: {type: datetime}}'),
      'entities/city.yaml:3:14 "created_at" is a reserved name / add the trait timestamps, which keeps it, or choose another name',
    ],
    [
      city('fields: {deleted_by: {type: string}}'),
      'entities/city.yaml:3:14 "deleted_by" is a reserved name / add the trait soft_delete, which keeps it, or choose another name',
    ],
    [
      city('fields: {constructor: {type: string}}'),
      'entities/city.yaml:3:14 "constructor" is a reserved name / choose another name',
    ],
    [
      city('fields: {Name: {type: string}}'),
      'entities/city.yaml:3:14 "Name" is not a valid name here / use lower-case letters, digits and _, a letter first, at most 63 characters',
    ],
    [
      city('fields: {id: {type: json}}'),
      'entities/city.yaml:3:25 the key cannot be of type json / choose one of string, integer, ulid, uuid',
    ],
    [
      city('fields: {id: {type: string, unique: true}}'),
      'entities/city.yaml:3:41 the key takes no unique / remove it: a key is unique by itself',
    ],
  ])('%o', (files, expected) => expect(bad(files)).toContain(expected));

  test.each([
    ['{ type: integer, default: x }', 'be a 64-bit integer'],
    ['{ type: number, default: true }', 'be a number'],
    ['{ type: boolean, default: 1 }', 'be true or false'],
    ['{ type: date, default: 2026-02-30 }', 'be a calendar date YYYY-MM-DD'],
    ['{ type: datetime, default: 2026-02-28 }', 'be an RFC 3339 instant with an offset'],
    ['{ type: uuid, default: x }', 'be a UUID'],
    ['{ type: ulid, default: 1 }', 'be a ULID'],
    ['{ type: decimal, default: 1.2.3 }', 'be a decimal number'],
    ['{ type: bytes, default: "*" }', 'be base64'],
    ['{ type: string, default: 1 }', 'be a string'],
    ['{ type: enum, enum: [a], default: b }', 'be one of a'],
    ['{ type: integer, min: 5, default: 1 }', 'be at least 5'],
    ['{ type: string, max_length: 1, default: ab }', 'have at most 1 characters'],
    ["{ type: string, pattern: '^a$', default: b }", 'match ^a$'],
    ['{ type: string, format: email, default: b }', 'be a valid email'],
    ['{ type: string, nullable: false, default: null }', 'be a value: the field takes no null'],
    ['{ type: ref, ref: { entity: city }, default: x }', 'be a ULID'],
    ['{ type: ref, ref: { entity: city }, default: true }', 'be the key of a row'],
    ['{ type: file, default: x }', 'be left out: a file has no default'],
  ])('the default of %s', (text, wanted) => {
    expect(bad(field(text)).join()).toContain(`the default must ${wanted}`);
  });

  test('an entity declared twice, a missing file, a missing directory', () => {
    const twice = bad({
      'entities/a.yaml': 'entities: {x: {fields: {}}}',
      'entities/b.yaml': 'entities: {x: {fields: {}}}',
    });
    expect(twice).toEqual([
      'entities/b.yaml:1:12 the entity "x" is declared twice / remove one (the other is at ./entities/a.yaml:1:12)',
    ]);
    expect(loadProduct(join(checkout({}), 'nowhere'))).toMatchObject({ problems: [{ mend: 'check meta.localdir' }] });
    expect(loadProduct(join(checkout({ 'entities/x.yaml': 'entities: {}' }), 'entities'))).toMatchObject({
      problems: [{ file: expect.stringMatching(/product\.yaml$/) as string }],
    });
  });

  test('of several files are all listed', () => {
    const found = bad({ 'product.yaml': 'x: 1', 'entities/a.yaml': 'entitys: {}', 'entities/b.yaml': 'a: [' });
    expect(new Set(found.map((text) => text.split(':')[0]))).toEqual(
      new Set(['product.yaml', 'entities/a.yaml', 'entities/b.yaml']),
    );
  });

  test('an entity that another file spoils is still known to references', () => {
    const files = {
      'entities/a.yaml': 'entities: {a: {fields: {b_id: {type: ref, ref: {entity: b}}}}}',
      'entities/b.yaml': 'entities: {b: {feilds: {}}}',
    };
    expect(bad(files).join()).not.toContain('there is no entity');
  });
});
