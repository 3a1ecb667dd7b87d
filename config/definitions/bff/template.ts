/** Placeholders in texts: `{{path.id}}`, `{{calls.city.data[0].name}}`. They only name a value: no condition, no filter, no default. */
import { suggestion } from '#config/values/suggest.ts';
import { BFF_HEADERS, PRINCIPAL_MEMBERS, SOURCES } from './shapes.ts';
import type { Reference, Source, TextTemplate, ValueTemplate } from './shapes.ts';

/** What is wrong with a text, and how to mend it. */
export interface Fault {
  readonly message: string;
  readonly mend: string;
}

/** The names that the placeholders of one endpoint may use. */
export interface Scope {
  readonly params: readonly string[];
  readonly calls: readonly string[];
}

const REFERENCE = /^([a-z]+)((?:\.[A-Za-z0-9_-]+|\[\d{1,9}\])*)$/;
const STEP = /\.([A-Za-z0-9_-]+)|\[(\d+)\]/g;
const HELP = 'write {{path.x}} {{query.x}} {{header.x}} {{body.x}} {{calls.y.x}} or {{principal.x}}';

export function isFault(value: object): value is Fault {
  return 'mend' in value;
}

/** The pieces of a text, or what is wrong with one of its placeholders. */
export function parseText(text: string, scope: Scope): TextTemplate | Fault {
  const pieces: (string | Reference)[] = [];
  let at = 0;
  for (;;) {
    const open = text.indexOf('{{', at);
    const plain = open < 0 ? text.slice(at) : text.slice(at, open);
    if (plain.includes('}}')) return { message: 'a }} without its {{', mend: HELP };
    if (plain !== '') pieces.push(plain);
    if (open < 0) return pieces;
    const close = text.indexOf('}}', open);
    if (close < 0) return { message: 'a {{ without its }}', mend: HELP };
    const reference = parseReference(text.slice(open + 2, close).trim(), scope);
    if (isFault(reference)) return reference;
    pieces.push(reference);
    at = close + 2;
  }
}

function parseReference(text: string, scope: Scope): Reference | Fault {
  const match = REFERENCE.exec(text);
  if (match === null) return notAName(text);
  const [, source = '', rest = ''] = match;
  if (!(SOURCES as readonly string[]).includes(source))
    return { message: `there is no ${source} to take a value from`, mend: suggestion(source, SOURCES) };
  const steps = [...rest.matchAll(STEP)].map(([, name, index]) => (name ?? index)!);
  const reference = { source: source as Source, steps };
  return faultOf(reference, scope) ?? reference;
}

function notAName(text: string): Fault {
  const message = `{{${text.slice(0, 80)}}} is not a placeholder`;
  if (/^(?:#|\/|else\b|if\b|unless\b)|[?|]|\b(?:and|or|not)\b|[=<>+*]/.test(text))
    return {
      message,
      mend: `a placeholder names a value: conditions and derived values belong in a service; ${HELP}`,
    };
  return { message, mend: HELP };
}

function faultOf({ source, steps }: Reference, { params, calls }: Scope): Fault | null {
  const [name] = steps;
  if (source === 'body') return null;
  if (name === undefined) return { message: `{{${source}}} names nothing in it`, mend: HELP };
  if (source === 'calls') return unknown('call', name, calls);
  if (steps.length > 1) return { message: `{{${source}.${steps.join('.')}}} has one name too many`, mend: HELP };
  if (source === 'path') return unknown('parameter of the path', name, params);
  if (source === 'header') return unknown('header that a declaration may name', name, BFF_HEADERS);
  if (source === 'principal') return unknown('member of the principal', name, PRINCIPAL_MEMBERS);
  return null;
}

function unknown(what: string, name: string, known: readonly string[]): Fault | null {
  if (known.includes(name)) return null;
  return { message: `there is no ${what} "${name}"`, mend: suggestion(name, known) };
}

/** A value with placeholders, or its first problem with the path to it. */
export function parseValue(
  value: unknown,
  scope: Scope,
  at: readonly (string | number)[] = [],
): ValueTemplate | { readonly fault: Fault; readonly at: readonly (string | number)[] } {
  if (typeof value === 'string') {
    const text = parseText(value, scope);
    if (isFault(text)) return { fault: text, at };
    const [only] = text;
    if (text.length === 1 && typeof only === 'object') return { kind: 'value', reference: only };
    return text.every((piece) => typeof piece === 'string') ? { kind: 'constant', value } : { kind: 'text', text };
  }
  if (typeof value !== 'object' || value === null) return { kind: 'constant', value };
  const parsed: [string, ValueTemplate][] = [];
  for (const [key, member] of Object.entries(value)) {
    const one = parseValue(member, scope, [...at, Array.isArray(value) ? Number(key) : key]);
    if ('fault' in one) return one;
    parsed.push([key, one]);
  }
  return Array.isArray(value)
    ? { kind: 'list', items: parsed.map(([, item]) => item) }
    : { kind: 'map', entries: parsed };
}

/** Every placeholder of a value. */
export function referencesOf(value: ValueTemplate): readonly Reference[] {
  switch (value.kind) {
    case 'constant':
      return [];
    case 'value':
      return [value.reference];
    case 'text':
      return inText(value.text);
    case 'list':
      return value.items.flatMap(referencesOf);
    case 'map':
      return value.entries.flatMap(([, member]) => referencesOf(member));
  }
}

export function inText(text: TextTemplate): readonly Reference[] {
  return text.filter((piece) => typeof piece === 'object');
}
