/** `skep dev` as a stranger meets it: a product of `skep new`, edited while the node serves (docs/contract/platform.md §1.9). */
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { ownFolder } from '#test/kit/demo-process.ts';
import { freePortBase } from '#test/kit/free-port.ts';
import { startDev, type DevProcess } from '#test/kit/dev-process.ts';
import { call, positionHeaders, type Answer, type Headers } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const TENANT = 'acme:desk:dev:main';
const SOON = { timeout: 60_000, interval: 50 };

interface Desk {
  readonly dir: string;
  readonly dev: DevProcess;
  readonly gateway: string;
  readonly caller: Headers;
}

/** As many editors save: a new file, renamed over the old one. */
function save(desk: Desk, file: string, from: string, to: string): void {
  const path = join(desk.dir, file);
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(from);
  writeFileSync(`${path}.tmp`, text.replace(from, to));
  desk.dev.mark();
  renameSync(`${path}.tmp`, path);
}

const says = (desk: Desk, text: string): Promise<void> => expect.poll(() => desk.dev.since(), SOON).toContain(text);

const ask = (desk: Desk, method: string, path: string, body?: unknown): Promise<Answer> =>
  call(desk.gateway, method, `/data/${path}`, desk.caller, body);

async function login(gateway: string, password: string): Promise<Headers> {
  const here = positionHeaders(TENANT);
  const body = { login: 'ann@example.org', password };
  const { status, text, json } = await call(gateway, 'POST', '/auth/login', here, body);
  expect(status, text).toBe(200);
  return { ...here, Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
}

async function openDesk(): Promise<Desk> {
  const dir = join(ownFolder(), 'desk');
  expect((await skep(`new desk --template help-desk --dir ${dir}`)).code).toBe(0);
  const base = await freePortBase();
  const dev = startDev(['--email', 'ann@example.org'], dir, { SKEP_PORT_BASE: String(base) });
  await expect.poll(() => dev.output(), SOON).toContain('Ctrl-C ends it');
  const [, password] = /administrator ann@example\.org, password (\S+)/.exec(dev.output())!;
  const gateway = `http://127.0.0.1:${base}`;
  return { dir, dev, gateway, caller: await login(gateway, password!) };
}

const ENTITY = 'product/entities/organisation.yaml';
const PHONE = '      phone: { type: string, nullable: true, max_length: 40 }\n';
const CITY = '      city: { type: string, nullable: true, max_length: 40 }\n';

test(
  'where the console is on loopback, a link logs its reader in: the rows of a tenant that was just made, later the operator',
  { timeout: 240_000 },
  async () => {
    const dir = join(ownFolder(), 'desk');
    expect((await skep(`new desk --template help-desk --dir ${dir}`)).code).toBe(0);
    const file = join(dir, 'platform.yaml');
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('  # console: true\n');
    writeFileSync(file, text.replace('  # console: true', '  console: true'));
    const env = { SKEP_PORT_BASE: String(await freePortBase()) };
    const begin = async (): Promise<{ readonly dev: DevProcess; readonly link: URL }> => {
      const dev = startDev(['--email', 'ann@example.org'], dir, env);
      await expect.poll(() => dev.output(), SOON).toContain('Ctrl-C ends it');
      return { dev, link: new URL(/(http:\S+#login=\S+)/.exec(dev.output())![1]!) };
    };
    const spend = (link: URL, position: string): Promise<Answer> =>
      call(link.origin, 'POST', '/console/login', positionHeaders(position), {
        code: link.hash.slice('#login='.length),
      });
    const first = await begin();
    expect(first.link.pathname).toBe(`/console/at/${TENANT.replaceAll(':', '/')}/data`);
    expect((await spend(first.link, TENANT)).status).toBe(200);
    expect((await spend(first.link, TENANT)).status).toBe(401);
    expect((await spend(first.link, CONTROL_PLANE)).status).toBe(200);
    first.dev.signal('SIGTERM');
    await first.dev.ended;
    const kept = join(dir, 'data/console-operator.json');
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    const password = readFileSync(kept, 'utf8');
    const { dev, link } = await begin();
    expect(link.pathname).toBe('/console/');
    expect((await spend(link, TENANT)).status).toBe(401);
    expect((await spend(link, CONTROL_PLANE)).status).toBe(200);
    expect(readFileSync(kept, 'utf8')).toBe(password);
    expect(dev.output()).not.toContain((JSON.parse(password) as { password: string }).password);
  },
);

test('a product is edited while it is served', { timeout: 240_000 }, async () => {
  const desk = await openDesk();
  const { dev } = desk;
  const first = await ask(desk, 'POST', 'rest/organisation', { name: 'Bees', phone: '0228 1' });
  expect(first.status, first.text).toBe(201);

  // A good change is served without a command.
  save(desk, ENTITY, PHONE, PHONE + CITY);
  await says(desk, `${TENANT}: applied: a new field organisation.city`);
  const made = await ask(desk, 'POST', 'rest/organisation', { name: 'Wasps', phone: '0228 2', city: 'Bonn' });
  expect(made.status, made.text).toBe(201);
  expect((await ask(desk, 'GET', 'rest/organisation?city=Bonn&fields=name')).json).toMatchObject({
    data: [{ name: 'Wasps' }],
  });

  // A mistake is said once with its place and how to mend it, and changes nothing.
  save(desk, ENTITY, CITY, CITY.replace('string', 'strnig'));
  await says(desk, `${ENTITY}:7:21: type must be one of`);
  await says(desk, 'the next save is tried again');
  expect(dev.since().match(/organisation\.yaml:7:21/g)).toHaveLength(1);
  expect((await ask(desk, 'GET', 'rest/organisation?city=Bonn&fields=name')).status).toBe(200);
  save(desk, ENTITY, CITY.replace('string', 'strnig'), CITY);
  await says(desk, `${TENANT}: applied\n`);

  // What loses or rewrites rows waits for the operator, who is told the command. The rest of the save is served.
  save(desk, ENTITY, PHONE, '      fax: { type: string, nullable: true }\n');
  await says(desk, `${TENANT}: applied: a new field organisation.fax`);
  await says(desk, 'not applied: drop_column:organisation.phone: it loses every value of organisation.phone');
  await says(desk, 'skep data plan apply ');
  const command = /skep (data plan apply .*)/.exec(dev.since())![1]!;
  expect((await ask(desk, 'POST', 'rest/organisation', { name: 'Ants', fax: '1' })).status).toBe(201);
  const done = await skep(command.replace('platform.yaml', join(desk.dir, 'platform.yaml')));
  expect(done.out + done.err).toContain('applied');
  expect(done.code).toBe(0);

  // A change of type would rewrite each row.
  save(desk, ENTITY, 'fax: { type: string, nullable: true }', 'fax: { type: integer, nullable: true }');
  await says(desk, 'not applied: alter_column_type:organisation.fax: it rewrites each row of organisation');

  // A new file, and one that goes.
  const note = 'entities:\n  note:\n    fields: { text: { type: text, nullable: true } }\n';
  dev.mark();
  writeFileSync(join(desk.dir, 'product/entities/note.yaml'), note);
  await says(desk, 'a new entity note');

  // Forms and the platform file.
  save(desk, 'forms/contact.yaml', 'title: Ask the help desk', 'title: Ask us');
  await says(desk, 'forms: contact read again');
  save(desk, 'forms/contact.yaml', 'honeypot: website', 'honeypto: website');
  await says(desk, 'unknown key "honeypto"');
  expect(
    (await call(desk.gateway, 'POST', '/f/contact', {}, { email: 'a@example.org', subject: 'Hello', text: 'x' }))
      .status,
  ).toBeLessThan(300);
  save(desk, 'platform.yaml', 'enabled: true', 'enabled: ture');
  await says(desk, 'The node goes on with the platform file that it began with');

  dev.signal('SIGINT');
  expect(await dev.ended).toBe(0);
  expect(dev.output()).not.toContain('"level":"error"');
});

test(
  'what was edited while nothing ran is brought up at the start, and faults do not stop it',
  { timeout: 240_000 },
  async () => {
    const desk = await openDesk();
    desk.dev.signal('SIGTERM');
    expect(await desk.dev.ended).toBe(0);
    const file = join(desk.dir, ENTITY);
    const before = readFileSync(file, 'utf8');
    writeFileSync(file, before.replace(PHONE, `${PHONE}${CITY}  nonsense\n`));
    const base = await freePortBase();
    const dev = startDev([], desk.dir, { SKEP_PORT_BASE: String(base) });
    await expect.poll(() => dev.output(), SOON).toContain('Ctrl-C ends it');
    expect(dev.output()).toContain('organisation.yaml:');
    dev.mark();
    writeFileSync(file, before.replace(PHONE, PHONE + CITY));
    await expect.poll(() => dev.since(), SOON).toContain('applied: a new field organisation.city');
    dev.signal('SIGINT');
    expect(await dev.ended).toBe(0);
  },
);

test('a wrong platform file is usage, a directory in use a failure', { timeout: 120_000 }, async () => {
  const dir = ownFolder();
  const missing = startDev(['-f', 'nowhere.yaml'], dir, {});
  expect(await missing.ended).toBe(2);
  expect(missing.output()).toContain('nowhere.yaml');
  const desk = await openDesk();
  onTestFinished(() => desk.dev.signal('SIGTERM'));
  const second = startDev([], desk.dir, { SKEP_PORT_BASE: String(await freePortBase()) });
  expect(await second.ended).toBe(1);
  expect(second.output()).toContain('in use by another skep');
});
