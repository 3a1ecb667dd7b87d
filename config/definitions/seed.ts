/**
 * Seeds: `seeds/*.yaml`, one each: `name entity strategy environments`, and `rows` in the file or a `file` beside it. Source:
 * docs/contract/data-definitions.md §4. Values are checked when the seed is applied, by the entity itself; names and keys here.
 */
import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname, relative, resolve, sep } from 'node:path';
import * as z from 'zod';
import { check, whereOf } from '../check.ts';
import { limits } from '../limits.ts';
import { problemAt, type Path, type Problem } from '../problem.ts';
import * as kit from '../schema-kit.ts';
import { suggestion } from '#config/values/suggest.ts';
import type { Tree } from '../tree.ts';
import { readYamlFile } from '../yaml-file.ts';
import type { EntityDefinition, SeedDefinition } from './product.ts';
import { definitionFiles, name } from './source.ts';

const FORMATS: Readonly<Record<string, 'csv' | 'json' | 'jsonl'>> = {
  '.csv': 'csv',
  '.json': 'json',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
};

const row = z
  .record(z.string(), z.unknown())
  .meta({ description: 'a map of fields', example: '{ code: NO, name: Norway }' });

/** The form of the file. */
export const seedFile = kit.entry({
  name: name.meta({ about: 'the name under which it is noted that the seed was applied' }),
  entity: name.meta({ about: 'whose rows they are' }),
  strategy: kit
    .oneOf(['insert', 'upsert', 'replace'])
    .optional()
    .meta({ about: 'what is done where a row is there already; insert unless set' }),
  environments: kit
    .list(kit.text('the env segment of a position', 'dev'), 'environments')
    .optional()
    .meta({ about: 'the environments whose tenants get the rows; all unless set' }),
  rows: z
    .array(row)
    .meta({ description: 'a list of rows', example: '[{ code: NO }]', about: 'the rows; either they or a file' })
    .optional(),
  file: kit
    .text('the name of a .csv, .json or .jsonl file beside this one', 'countries.csv')
    .optional()
    .meta({ about: 'the file that holds the rows' }),
});

type Raw = z.output<typeof seedFile>;

export interface Seeds {
  readonly seeds: readonly SeedDefinition[];
  readonly problems: readonly Problem[];
}

/** The seeds of a product in the order of their files, or every problem in them. `names`: all declared entities. */
export function readSeeds(dir: string, entities: readonly EntityDefinition[], names: readonly string[]): Seeds {
  const listed = definitionFiles(dir);
  const problems = [...listed.problems];
  const seeds: SeedDefinition[] = [];
  for (const file of listed.files) {
    const { tree, problems: broken } = readYamlFile(file);
    problems.push(...broken);
    if (broken.length > 0) continue;
    const checked = check(seedFile, tree);
    if ('problems' in checked) {
      problems.push(...checked.problems);
      continue;
    }
    const read = new Reading(dir, file, tree, checked.value);
    const seed = read.seed(entities, names, seeds);
    problems.push(...read.problems);
    if (seed !== null) seeds.push(seed);
  }
  return { seeds, problems };
}

class Reading {
  readonly problems: Problem[] = [];
  readonly #dir: string;
  readonly #file: string;
  readonly #tree: Tree;
  readonly #raw: Raw;

  constructor(dir: string, file: string, tree: Tree, raw: Raw) {
    this.#dir = dir;
    this.#file = file;
    this.#tree = tree;
    this.#raw = raw;
  }

  seed(
    entities: readonly EntityDefinition[],
    names: readonly string[],
    before: readonly SeedDefinition[],
  ): SeedDefinition | null {
    const { name: own, entity: of, strategy = 'insert', environments } = this.#raw;
    const namesake = before.find((other) => other.name === own);
    if (namesake !== undefined)
      this.#say(['name'], `the seed "${own}" is declared twice`, `remove one (the other is at ${namesake.where})`);
    if (!names.includes(of)) this.#say(['entity'], `there is no entity "${of}"`, suggestion(of, names));
    const content = this.#content();
    const entity = entities.find((candidate) => candidate.name === of);
    if (content === null) return null;
    if (content.rows !== null && entity !== undefined) this.#checkRows(content.rows, entity, strategy);
    const { rows, file } = content;
    const sum = hash('sha256', JSON.stringify([of, strategy, rows?.map(({ input }) => input), file?.text]), 'hex');
    return {
      name: own,
      entity: of,
      strategy,
      environments: environments ?? null,
      source: `seeds/${basename(this.#file)}`,
      rows,
      file,
      checksum: `sha256:${sum}`,
      where: whereOf(this.#tree, ['name']),
    };
  }

  #content(): Pick<SeedDefinition, 'rows' | 'file'> | null {
    const { rows, file } = this.#raw;
    if ((rows === undefined) === (file === undefined)) {
      this.#say(rows === undefined ? [] : ['file'], 'a seed has either rows or a file', 'write one of the two');
      return null;
    }
    if (file !== undefined) return this.#besides(file);
    if (rows!.length > limits.seeds.rowsMax) {
      this.#say(['rows'], `a seed has at most ${limits.seeds.rowsMax} rows`, 'make two seeds of it');
      return null;
    }
    // Through JSON, so that rows have the values that a request would have.
    const plain = JSON.parse(JSON.stringify(rows)) as Record<string, unknown>[];
    return { file: null, rows: plain.map((input, at) => ({ line: this.#lineOf(at), input })) };
  }

  #lineOf(row: number): number {
    return this.#tree.placeOf(['rows', row], 'value').line;
  }

  #besides(file: string): Pick<SeedDefinition, 'rows' | 'file'> | null {
    const target = resolve(dirname(this.#file), file);
    const format = FORMATS[extname(target).toLowerCase()];
    if (!target.startsWith(resolve(this.#dir) + sep))
      this.#say(['file'], 'the file lies outside of seeds/', 'put it beside this one');
    else if (format === undefined)
      this.#say(['file'], `"${file}" has no format that is known`, 'use .csv, .json or .jsonl');
    else {
      const text = this.#read(target);
      const source = `seeds/${relative(resolve(this.#dir), target)}`;
      if (text !== null) return { rows: null, file: { source, format, text } };
    }
    return null;
  }

  #read(target: string): string | null {
    const most = limits.seeds.fileBytesMax;
    try {
      if (statSync(target).size <= most) return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(target));
      this.#say(['file'], `${target} is longer than ${most} bytes`, 'make two seeds of it');
    } catch (error) {
      const message = error instanceof TypeError ? `${target} is not UTF-8` : `cannot read ${target}`;
      this.#say(['file'], message, 'check the file; its name starts at the file that names it');
    }
    return null;
  }

  #checkRows(rows: NonNullable<SeedDefinition['rows']>, entity: EntityDefinition, strategy: string): void {
    const known = [...Object.keys(entity.fields), ...Object.keys(entity.links ?? {})];
    for (const [at, { input }] of rows.entries()) {
      for (const key of Object.keys(input))
        if (!known.includes(key))
          this.#say(['rows', at, key], `${entity.name} has no field "${key}"`, suggestion(key, known), 'key');
      if (strategy !== 'insert' && !Object.hasOwn(input, 'id'))
        this.#say(['rows', at], `a row of a seed with the strategy ${strategy} needs its id`, 'add `id: …`');
    }
  }

  #say(path: Path, message: string, mend: string, part: 'key' | 'value' = 'value'): void {
    this.problems.push(problemAt(this.#tree.placeOf(path, part), path, message, mend));
  }
}
