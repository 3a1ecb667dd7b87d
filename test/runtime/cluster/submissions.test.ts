/** What an operator is told of forms whose submissions lie on the machine of a node on a log. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadPlatformText } from '#config/load.ts';
import type { Platform } from '#config/platform.ts';
import { examineSubmissions, submissionsLost } from '#runtime/cluster/submissions.ts';

const dir = mkdtempSync(join(tmpdir(), 'skep-forms-lost-'));
afterAll(() => rmSync(dir, { recursive: true }));
mkdirSync(join(dir, 'forms'));
writeFileSync(join(dir, 'forms', 'contact.yaml'), 'id: contact\nfields: { name: { type: string } }\n');

function platformOf(intake: string, journal = 'driver: postgres, url: "postgres://skep@db.internal/log"', more = '') {
  const text = `storage: { journal: { ${journal} } }\nintake: { ${intake} }\n${more}`;
  const loaded = loadPlatformText(text, join(dir, 'platform.yaml'), { env: {} });
  if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
  return loaded.platform;
}
const FORMS = `forms: { dir: "${join(dir, 'forms')}" }`;
const NONE = `forms: { dir: "${join(dir, 'none')}" }`;

test('on a sealed log they are said to be sealed', () => {
  const journal = 'driver: postgres, url: "postgres://skep@db.internal/log", seal: vault';
  const vault = 'enabled: true, profile: development, backend: { kind: postgres }, seal: { current: { env: KEY } }';
  const saidOf = (platform: Platform): string => examineSubmissions(platform)[0]!.detail;
  expect(saidOf(platformOf(FORMS, journal, `vault: { ${vault} }\n`))).toContain('of the log, sealed,');
  expect(saidOf(platformOf(FORMS))).not.toContain('sealed');
});

test.each([
  ['by default they are in the database', platformOf(FORMS), null, ['ok']],
  [
    'where the file keeps them on the machine',
    platformOf(`${FORMS}, storage: { backend: jsonl }`),
    'in jsonl on this machine',
    ['warning'],
  ],
  ['without forms there is nothing to lose', platformOf(`${NONE}, storage: { backend: embedded }`), null, []],
  ['a node on files has one machine', platformOf(FORMS, 'driver: file'), null, []],
])('%s', (_what, platform, lost, states) => {
  const said = submissionsLost(platform);
  if (lost === null) expect(said).toBeNull();
  else expect(said).toContain(lost);
  expect(examineSubmissions(platform).map(({ state }) => state)).toEqual(states);
});
