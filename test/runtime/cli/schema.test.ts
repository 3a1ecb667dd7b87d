import { expect, test } from 'vitest';
import { fileKindNames, fileKinds } from '#config/file-kinds.ts';
import { jsonSchemaOf } from '#config/json-schema.ts';
import { skep } from './recorder.ts';

test('without a kind it lists all with the globs of their files, for people and for programs', async () => {
  const { code, out } = await skep('schema');
  expect(code).toBe(0);
  expect(out).toMatch(/^entity +entities\/\*\.yaml content\/types\/\*\.yaml content\/extend\/\*\.yaml +rows: /m);
  const rows = JSON.parse((await skep('schema -o json')).out) as { kind: string; files: string }[];
  expect(rows.map(({ kind }) => kind)).toEqual(fileKindNames);
  expect(rows.find(({ kind }) => kind === 'archives')?.files).toBe('archives.yaml');
});

test('with a kind it prints the schema of its files', async () => {
  const { code, out } = await skep('schema stateflow');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual(jsonSchemaOf(fileKinds.stateflow));
});

test('a kind that is not known is wrong usage, and the nearest is named', async () => {
  expect(await skep('schema entitiy')).toEqual({
    code: 2,
    out: '',
    err: 'skep: there is no kind of file "entitiy"\n    did you mean "entity"?\n',
  });
});
