/** Which verb calls which section of an action (docs/contract/data-behaviour.md §2.2). */
import type { ActionSection } from '#config/definitions/product.ts';
import type { Method } from '#actors/protocol/method.ts';

const SECTION_OF: Readonly<Partial<Record<Method, ActionSection>>> = {
  GET: 'read',
  POST: 'create',
  PUT: 'update',
  PATCH: 'update',
  DELETE: 'delete',
};

/** The section that a verb calls; undefined for a verb that calls none. */
export function sectionOf(verb: string): ActionSection | undefined {
  return Object.hasOwn(SECTION_OF, verb) ? SECTION_OF[verb as Method] : undefined;
}

/** The other way: the verbs that call a section. */
export const METHODS_OF: Readonly<Record<ActionSection, readonly [Method, ...Method[]]>> = {
  read: ['GET'],
  create: ['POST'],
  update: ['PUT', 'PATCH'],
  delete: ['DELETE'],
};

export function verbsOf({ sections }: { readonly sections: ReadonlyMap<ActionSection, unknown> }): string[] {
  return Object.entries(SECTION_OF).flatMap(([verb, section]) => (sections.has(section) ? [verb] : []));
}
