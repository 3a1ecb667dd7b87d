import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { skep } from './recorder.ts';

const SECRET = 'a-bootstrap-token-of-32-characters';

function place(yaml: string) {
  const dir = mkdtempSync(join(tmpdir(), 'skep-service-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const file = join(dir, 'platform.yaml');
  const token = join(dir, 'token');
  writeFileSync(file, yaml);
  writeFileSync(token, `${SECRET}\n`, { mode: 0o600 });
  return { dir, file, token, unit: join(dir, 'units', 'skep.service') };
}

const YAML = 'bootstrap: { token: "${BOOTSTRAP}" }\nstorage: { dir: ./data }\n';

const analyzer = spawnSync('systemd-analyze', ['--version']).status === 0;
const skipped = analyzer ? '' : ' (skipped: no systemd-analyze)';

test('install writes the unit of this platform file, without its secrets, and says what comes next', async () => {
  const { dir, file, token, unit } = place(YAML);
  const said = await skep(
    `service install -f ${file} --user daemon --unit-dir ${dir}/units --credential BOOTSTRAP:${token}`,
  );
  expect(said).toMatchObject({ code: 0, out: `${unit}\n` });
  expect(said.err).toContain(`install -d -o daemon -g daemon -m 700 ${dir}/data`);
  const text = readFileSync(unit, 'utf8');
  expect(text).toContain('Type=notify\n');
  expect(text).toContain("ExecReload=/bin/sh -c 'kill -HUP ${MAINPID}'\n"); // /bin/kill is not everywhere
  expect(text).toContain(` -f ${file}\n`);
  expect(text).toContain(`LoadCredential=BOOTSTRAP:${token}\n`);
  expect(text).toContain(`ReadWritePaths=${dir}/data\n`);
  expect(text).not.toContain(SECRET);
});

test('the unit may write where the platform file writes, and says which of that must be made', async () => {
  const { dir, file, unit } = place(`
storage: { dir: ./data, mark: ./second/skep.mark }
backups: { to: ./backups/node-1, scratch: ./backups }
intake: { logging: { output: file, file: { path: ./log/intake.log } }, embedded: { path: ./data/forms } }
audit: { enabled: true, name: audit.example, base_dir: ./data/logs, sync: [{ log_pattern: "**", targets: [{ kind: fs, path: ./copies }] }] }
hives: { tenant: [{ key: "acme:atlas:dev:main", meta: { localdir: . }, contentstores: [{ name: media, contentroot: { type: os, path: ./media } }] }] }
`);
  mkdirSync(join(dir, 'second'));
  const said = await skep(`service install -f ${file} --user daemon --unit-dir ${dir}/units`);
  expect(said).toMatchObject({ code: 0 });
  const written = [...readFileSync(unit, 'utf8').matchAll(/^ReadWritePaths=(.*)$/gm)].map(([, path]) => path);
  const beside = ['backups', 'copies', 'log', 'media', 'second'].map((name) => join(dir, name));
  expect(written).toEqual([`${dir}/data`, ...beside.map((path) => `-${path}`)]);
  for (const name of ['data', 'backups', 'media'])
    expect(said.err).toContain(`next: install -d -o daemon -g daemon -m 700 ${dir}/${name}\n`);
  expect(said.err).not.toContain(`${dir}/second`);
});

test.skipIf(!analyzer && process.env['CI'] !== 'true')(
  `systemd finds nothing wrong with the unit${skipped}`,
  async () => {
    const { dir, file, unit } = place('storage: { dir: ./data }');
    await skep(`service install -f ${file} --user daemon --unit-dir ${dir}/units`);
    execFileSync('systemd-analyze', ['verify', unit], { stdio: 'pipe' }); // throws when it complains
    const exposure = execFileSync('systemd-analyze', ['security', '--offline=yes', unit], { encoding: 'utf8' });
    expect(exposure).toMatch(/exposure level for skep\.service: [0-2]\.\d OK/);
  },
);

test('only a node with a port below 1024 may bind one', async () => {
  const granted = /^AmbientCapabilities=(.*)$/m;
  const above = await skep(`service install --print -f ${place('gateway: { bind: 0.0.0.0:8080 }').file}`);
  const below = await skep(`service install --print -f ${place('gateway: { bind: 0.0.0.0:443 }').file}`);
  const ofListener = await skep(
    `service install --print -f ${place('listeners: { data: { bind: 127.0.0.1:80 } }').file}`,
  );
  expect([above, below, ofListener].map(({ out }) => granted.exec(out)![1])).toEqual([
    '',
    'CAP_NET_BIND_SERVICE',
    'CAP_NET_BIND_SERVICE',
  ]);
});

test.each([
  ['--credential BOOTSTRAP:token', /--credential BOOTSTRAP:token is none/],
  ['--credential BOOTSTRAP:/nowhere/token', /ENOENT.*\n.*write the secret into this file/],
  ['--credential BOOT-STRAP:/etc/token', /is none/],
  ['--user ../root', /--user \.\.\/root is no name of a user/],
  ['', /BOOTSTRAP/],
])('refused, and nothing is written: %s', async (flags, why) => {
  const { dir, file, unit } = place(YAML);
  const said = await skep(`service install -f ${file} --unit-dir ${dir}/units ${flags}`);
  expect(said.code).toBe(2);
  expect(said.err).toMatch(why);
  expect(existsSync(unit)).toBe(false);
});

test('uninstall removes the unit and nothing else', async () => {
  const { dir, file, unit } = place('storage: { dir: ./data }');
  await skep(`service install -f ${file} --unit-dir ${dir}/units`);
  expect((await skep(`service uninstall --unit-dir ${dir}/units`)).code).toBe(0);
  expect([existsSync(unit), existsSync(file)]).toEqual([false, true]);
  const again = await skep(`service uninstall --unit-dir ${dir}/units`);
  expect(again.code).toBe(1);
  expect(again.err).toContain(`there is no ${unit}`);
});
