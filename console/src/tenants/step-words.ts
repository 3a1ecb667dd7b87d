/** Steps of a plan in words: what each does, and what it loses or rewrites. Pure. */
import type { Words } from '../words/en.ts';
import type { Step } from './shapes.ts';

type Named = Pick<Step, 'SchemaOp' | 'Entity' | 'Identifier'>;
type Texts = Words['tenants']['steps'];

/** `thing.b`, or `thing` for a step about an entity; an index has its entity in its name. */
const placeOf = ({ SchemaOp, Entity, Identifier }: Named): string =>
  Entity === Identifier || SchemaOp.endsWith('_index') ? Identifier : `${Entity}.${Identifier}`;

const pick = (texts: Readonly<Record<string, string>>, op: string): string | undefined =>
  Object.hasOwn(texts, op) ? texts[op] : undefined;

export function deedOf(step: Named, { does, otherDoes }: Texts): string {
  const text = pick(does, step.SchemaOp);
  return text === undefined ? `${otherDoes} ${step.SchemaOp}` : text.replace('{}', placeOf(step));
}

/** Null where the step neither loses nor rewrites anything. A kind of step that is not known here is never taken for a harmless one. */
export function harmOf(step: Named, { does, harms, otherHarm }: Texts): string | null {
  if (pick(does, step.SchemaOp) === undefined) return otherHarm;
  return pick(harms, step.SchemaOp)?.replace('{}', placeOf(step)) ?? null;
}

/** Whether a step removes what is stored and not declared any more. */
export const isDrop = ({ SchemaOp }: Named): boolean => SchemaOp.startsWith('drop_');
