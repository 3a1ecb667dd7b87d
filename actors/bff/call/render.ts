/**
 * Placeholders into requests. A value is never read as a template again, and its place decides how it is written: one
 * segment of a path, one parameter of a query, one line of a header, one value of JSON.
 */
import { limits } from '#config/limits.ts';
import type { BffCall, Reference, TextTemplate, ValueTemplate } from '#config/definitions/bff/shapes.ts';
import { bare, valueOf, type Scope } from './scope.ts';

/** A value that does not fit its place. */
export class Unusable extends Error {
  readonly reference: Reference | null;

  constructor(reference: Reference | null, why: string) {
    super(reference === null ? why : `${[reference.source, ...reference.steps].join('.')} ${why}`);
    this.reference = reference;
  }
}

export interface Rendered {
  /** Path and query, percent-encoded. */
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** The request of a call. Throws Unusable. */
export function render(call: BffCall, scope: Scope): Rendered {
  const path = pathOf(call.path, scope);
  const query = call.query.length === 0 ? '' : queryOf(call.query, scope);
  if (path.length + query.length > limits.bff.targetCharsMax) throw new Unusable(null, 'path and query are too long');
  const body = call.body === null ? null : filled(call.body, scope);
  return { path, query, headers: headersOf(call.headers, scope), body };
}

/** An empty value would make another path, and so would `..`: both are refused. */
function pathOf(template: TextTemplate, scope: Scope): string {
  const path = template.map((piece) => (typeof piece === 'string' ? piece : segment(piece, scope))).join('');
  if (/(?:^|\/)\.{1,2}(?:\/|$)/.test(path))
    throw new Unusable(template.find((piece) => typeof piece === 'object') ?? null, 'leads out of the path');
  return path;
}

const DOT_SEGMENT = /(?:^|[/\\])\.{1,2}(?:[/\\]|$)/;

function segment(reference: Reference, scope: Scope): string {
  const text = scalar(reference, scope);
  if (text === null || text === '') throw new Unusable(reference, 'is missing');
  checkTarget(reference, text.length);
  if (!text.isWellFormed()) throw new Unusable(reference, 'is not well-formed text');
  // Servers that decode before they split would take an encoded slash for a separator.
  if (DOT_SEGMENT.test(text)) throw new Unusable(reference, 'leads out of the path');
  return encodeURIComponent(text);
}

/** Refuses text that is too long for a path or a query, before it is encoded. */
function checkTarget(reference: Reference | null, chars: number): void {
  if (chars > limits.bff.targetCharsMax) throw new Unusable(reference, 'is too long for a path or a query');
}

/**
 * A parameter whose only placeholder is missing is left out when the caller gives its value; a value missing from another call's answer is
 * refused, since the request would ask for more. A list is sent as the parameter several times.
 */
function queryOf(named: BffCall['query'], scope: Scope): string {
  const query = new URLSearchParams();
  for (const [name, text] of named) {
    const [only] = text;
    const value = text.length === 1 && typeof only === 'object' ? valueOf(only, scope) : undefined;
    if (Array.isArray(value)) appendAll(query, name, only as Reference, value);
    else {
      const one = textOf(text, scope, answered);
      checkTarget(text.find((piece) => typeof piece === 'object') ?? null, one?.length ?? 0);
      if (one !== null) query.append(name, one);
    }
  }
  return query.toString();
}

function appendAll(query: URLSearchParams, name: string, reference: Reference, items: readonly unknown[]): void {
  let chars = 0;
  for (const item of items) {
    const text = written(reference, item) ?? '';
    // Each brings an equals sign and an ampersand.
    checkTarget(reference, (chars += name.length + text.length + 2));
    query.append(name, text);
  }
}

function headersOf(named: BffCall['headers'], scope: Scope): Record<string, string> {
  const headers = bare<string>();
  for (const [name, text] of named) {
    const value = textOf(text, scope, answered);
    if (value === null) continue;
    const reference = text.find((piece) => typeof piece === 'object') ?? null;
    if (value.length > limits.bff.headerCharsMax) throw new Unusable(reference, 'is too long for a header');
    if (/[^\t\x20-\x7e]/.test(value)) throw new Unusable(reference, 'cannot stand in a header');
    headers[name] = value;
  }
  return headers;
}

type Scalar = (reference: Reference, scope: Scope) => string | null;

/** Null when the text is a single placeholder without a value; in a longer text a missing value is empty. */
function textOf(text: TextTemplate, scope: Scope, take: Scalar = scalar): string | null {
  if (text.length === 1 && typeof text[0] === 'object') return take(text[0], scope);
  let joined = '';
  for (const piece of text) {
    joined += typeof piece === 'string' ? piece : (take(piece, scope) ?? '');
    checkFilled(joined.length);
  }
  return joined;
}

/** A value can be used in many places: the length of the whole is checked while it is made. */
function checkFilled(chars: number): void {
  const most = limits.bff.filledCharsMax;
  if (chars > most) throw new Unusable(null, `the filled template has more than ${most} characters`);
}

function answered(reference: Reference, scope: Scope): string | null {
  const text = scalar(reference, scope);
  if (text === null && reference.source === 'calls') throw new Unusable(reference, 'is missing');
  return text;
}

function scalar(reference: Reference, scope: Scope): string | null {
  return written(reference, valueOf(reference, scope));
}

function written(reference: Reference, value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new Unusable(reference, 'is not a single value');
}

/** The JSON text of a template with its placeholders filled; a missing value is left out of a map, and null in a list. Throws Unusable when it becomes too long. */
export function filled(template: ValueTemplate, scope: Scope): string {
  return new Filling(scope).text(template) ?? 'null';
}

/** A text of so many characters may be escaped once for all its places. */
const LONG_CHARS = 1024;

class Filling {
  readonly #scope: Scope;
  #chars = 0;
  /** JSON of long texts and of objects: a template may have one value in many places. */
  #written: Map<unknown, string> | null = null;

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** Undefined for a missing value. */
  text(template: ValueTemplate): string | undefined {
    switch (template.kind) {
      case 'constant':
        return this.#counted(this.#json(template.value));
      case 'value':
        return this.#counted(this.#json(valueOf(template.reference, this.#scope)));
      case 'text':
        return this.#counted(this.#joined(template.text));
      case 'list':
        return this.#list(template.items);
      case 'map':
        return this.#map(template.entries);
    }
  }

  /** Appended, not joined: V8 then copies large members once for the whole text instead of once a level. */
  #list(items: readonly ValueTemplate[]): string {
    let members = '';
    for (const item of items) members += `${members === '' ? '' : ','}${this.text(item) ?? 'null'}`;
    return `[${members}]`;
  }

  #map(entries: Extract<ValueTemplate, { kind: 'map' }>['entries']): string {
    let members = '';
    for (const [key, member] of entries) {
      const text = this.text(member);
      if (text !== undefined) members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${text}`;
    }
    return `{${members}}`;
  }

  /** As `textOf`, escaped piece by piece. */
  #joined(text: TextTemplate): string | undefined {
    if (text.length === 1 && typeof text[0] === 'object') return this.#json(scalar(text[0], this.#scope));
    let joined = '"';
    for (const piece of text) {
      const one = typeof piece === 'string' ? piece : (scalar(piece, this.#scope) ?? '');
      checkFilled(this.#chars + joined.length + one.length);
      joined += this.#json(one)!.slice(1, -1);
    }
    return `${joined}"`;
  }

  #json(value: unknown): string | undefined {
    if (typeof value === 'string') checkFilled(this.#chars + value.length);
    const isLarge =
      typeof value === 'string' ? value.length >= LONG_CHARS : typeof value === 'object' && value !== null;
    if (!isLarge) return JSON.stringify(value);
    const known = this.#written?.get(value);
    if (known !== undefined) return known;
    const text = JSON.stringify(value);
    (this.#written ??= new Map()).set(value, text);
    return text;
  }

  #counted(text: string | undefined): string | undefined {
    if (text !== undefined) checkFilled((this.#chars += text.length));
    return text;
  }
}
