/**
 * The text index of an entity: `search: {fields, language, stop_words}`. Source: docs/contract/data-definitions.md §1.11. An entity
 * without it is not searched by words.
 */
import * as z from 'zod';
import { limits } from '../limits.ts';
import { problemAt, type Path, type Problem } from '../problem.ts';
import * as kit from '../schema-kit.ts';
import { suggestion } from '#config/values/suggest.ts';
import type { Tree } from '../tree.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import type { EntityDefinition, SearchDefinition } from './product.ts';
import { name } from './source.ts';

/** Languages whose words are reduced to their stems; `none` leaves words as they are. */
export const SEARCH_LANGUAGES = [
  'none',
  'arabic',
  'armenian',
  'basque',
  'catalan',
  'czech',
  'danish',
  'dutch',
  'english',
  'finnish',
  'french',
  'german',
  'hungarian',
  'irish',
  'italian',
  'norwegian',
  'portuguese',
  'romanian',
  'russian',
  'slovene',
  'spanish',
  'swedish',
  'tamil',
  'turkish',
] as const;

const { fieldsMax, stopWordsMax, wordCharsMax } = limits.search;

export const search = kit.entry({
  fields: z
    .array(name)
    .min(1)
    .max(fieldsMax)
    .meta({ description: `a list of 1 to ${fieldsMax} fields`, example: '[title, body]' })
    .meta({ about: 'the fields whose words are found; each of type string or text' }),
  language: kit
    .oneOf(SEARCH_LANGUAGES)
    .optional()
    .meta({ about: 'the language whose endings are cut, so that `runs` finds `running`; none unless set' }),
  stop_words: z
    .array(z.string().min(1).max(wordCharsMax).meta({ description: 'a word (quote `no`, `on`, …)', example: 'the' }))
    .max(stopWordsMax)
    .meta({ description: `a list of at most ${stopWordsMax} words`, example: '[the, a, of]' })
    .optional()
    .meta({ about: 'words that are neither indexed nor searched' }),
});

export function searchOf(raw: z.output<typeof search>): SearchDefinition {
  return { fields: raw.fields, language: raw.language ?? 'none', stopWords: raw.stop_words ?? [] };
}

/** Every fault of an entity's `search`. */
export function searchProblems(entity: EntityDefinition, tree: Tree): Problem[] {
  const { search: declared, fields } = entity;
  if (declared === undefined) return [];
  const problems: Problem[] = [];
  const say = (path: Path, message: string, mend: string): void => {
    const full = ['entities', entity.name, 'search', 'fields', ...path];
    problems.push(problemAt(tree.placeOf(full, 'value'), full, message, mend));
  };
  for (const [at, one] of declared.fields.entries()) {
    const field = Object.hasOwn(fields, one) ? fields[one] : undefined;
    if (field === undefined) say([at], `there is no field "${one}"`, suggestion(one, Object.keys(fields)));
    else if (declared.fields.indexOf(one) !== at) say([at], `"${one}" is listed twice`, 'remove one');
    else if (FIELD_TYPES[field.type].text !== 'free')
      say([at], `a field of type ${field.type} has no words`, `remove "${one}", or make it a string or a text`);
  }
  return problems;
}
