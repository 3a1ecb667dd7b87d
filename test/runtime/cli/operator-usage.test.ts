/** Operator's verbs that are asked wrongly: exit code 2, nothing on standard output, and how to mend it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { platformOf } from '#runtime/cli/operator-verb.ts';
import { Recorder, skep } from './recorder.ts';

const usage: readonly (readonly [line: string, told: string])[] = [
  ['data bootstrap --tenant nonsense', 'not a tenant key customer:product:env:tenant'],
  ['data bootstrap --tenant acme:shop:dev:absent', 'the platform file has no tenant'],
  ['data bootstrap --scope private', 'Allowed choices are shared'],
  ['data bootstrap --datastore other', 'no datastore other'],
  [`data bootstrap --tenant ${TENANT} --email a@b.example`, 'people are seeded with the control plane'],
  [`tenant provision --tenant ${TENANT} --firstname Ann`, 'a name needs a login'],
  ['key list', "required option '--tenant <cpet>'"],
  [`key rotate x --tenant ${TENANT} --grace soon`, 'is not a duration'],
  [`user add a@b.example --tenant ${TENANT} --role a,b`, 'a role is one word'],
  [`user set a@b.example --tenant ${TENANT} --role `, 'a role is one word'],
  [`key issue --tenant ${TENANT} --role a,b`, 'a role is one word'],
  [`session end --tenant ${TENANT}`, 'name a session'],
  [`session end x --tenant ${TENANT} --user y`, 'name a session'],
  [`impersonation grant --tenant ${TENANT} --operator x`, "required option '--for"],
];

test.each(usage)('%s', async (line, told) => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-cli-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const { code, out, err } = await skep(`${line} -f ${writePlatformFile(dir)}`);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(told);
});

test('every verb stands at the top and under identity', async () => {
  for (const verb of [
    'data bootstrap',
    'tenant provision',
    'key ring rotate',
    'impersonation grant',
    'user set',
    'user list',
    'user reset-second-factor',
    'session end',
  ])
    for (const line of [verb, `identity ${verb}`]) {
      const { code, out } = await skep(`${line} --help`);
      expect(code).toBe(0);
      expect(out).toContain(`Usage: skep ${line}`);
    }
  expect((await skep('identity config generate bootstrap-dev')).out).toContain('bootstrap:');
});

test("a verb's answer stands alone on its output: the node that is started for it logs elsewhere", async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-cli-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const { log, intake } = await platformOf(writePlatformFile(dir), new Recorder());
  expect([log, intake.logging.output]).toEqual([{ level: 'warn', output: 'stderr' }, 'stderr']);
});

test('the help of tenant provision says which users it seeds, and which verb seeds the rest', async () => {
  const { out } = await skep('tenant provision --help');
  expect(out.replace(/\s+/g, ' ')).toContain('seed its administrator and activate it; safe to run again (for rows of the product: skep data seed run)'); // prettier-ignore
});
