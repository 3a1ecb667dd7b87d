/** Declared tables must agree with one another: routes with refusals and rates, LMDB tables with their owners' ranges. */
import { METHODS } from '#actors/protocol/method.ts';
import type { RefusalTable } from '#actors/protocol/refusal.ts';
import type { RouteTable } from '#actors/protocol/route.ts';
import { DYNAMIC_TABLE_FIRST, type TableRow } from '#storage/catalogue.ts';

/** Refusal codes that no route lists, codes that no table declares, unknown rate profiles and paths that cannot be routed. */
export function checkRoutes(routes: RouteTable, refusals: RefusalTable, rates: readonly string[]): string[] {
  const used = new Set(Object.values(routes).flatMap((row) => row.refusals));
  const out = Object.keys(refusals)
    .filter((code) => !used.has(code))
    .map((code) => `${code}: no route lists it`);
  if (Object.keys(routes).length === 0) out.push('no routes');
  for (const [name, row] of Object.entries(routes)) {
    for (const code of row.refusals) if (refusals[code] === undefined) out.push(`${name}: ${code} is not declared`);
    if (new Set(row.refusals).size !== row.refusals.length) out.push(`${name}: lists a refusal twice`);
    if (row.rate !== undefined && !rates.includes(row.rate)) out.push(`${name}: rate ${row.rate} is not declared`);
    if (!PATH.test(row.path)) out.push(`${name}: path ${row.path}`);
    if (row.methods.some((method) => !METHODS.includes(method))) out.push(`${name}: methods ${row.methods.join()}`);
    if (row.body === 'none' && row.request !== undefined) out.push(`${name}: a request shape without a body`);
  }
  return out;
}

const PATH = /^(?:\/(?:[A-Za-z0-9._~-]+|\{[a-z_]+\}))*(?:\/(?:[A-Za-z0-9._~-]+|\{[a-z_]+\*?\})?)$/;

/** Routes that answer the same method and path on the same listener. A parameter's name does not make a path another. */
export function checkDistinct(services: readonly { readonly name: string; readonly routes: RouteTable }[]): string[] {
  const seen = new Map<string, string>();
  const out: string[] = [];
  for (const { name: service, routes } of services)
    for (const [name, row] of Object.entries(routes))
      for (const method of row.methods) {
        const listener = row.listener === 'own' ? `${service} ` : '';
        const key = `${listener}${method} ${row.path.replaceAll(/\{[^}]*?(\*?)\}/g, '{$1}')}`;
        const first = seen.get(key);
        if (first === undefined) seen.set(key, name);
        else out.push(`${key}: ${first} and ${name}`);
      }
  return out;
}

/** Ranges of storage/catalogue.ts. */
const RANGES: Readonly<Record<TableRow['owner'], readonly (readonly [first: number, last: number])[]>> = {
  platform: [[1, 9]],
  identity: [
    [10, 29],
    [110, 129],
  ],
  data: [
    [30, 59],
    [130, 139],
  ],
  intake: [[60, 69]],
  content: [[70, 79]],
  vault: [[80, 89]],
  audit: [[90, 99]],
};

/** Numbers given twice or outside their owner's range. */
export function checkTables(tables: Readonly<Record<string, TableRow>>): string[] {
  const out: string[] = [];
  const seen = new Map<number, string>();
  for (const [name, { no, owner, version }] of Object.entries(tables)) {
    const isOwners = RANGES[owner].some(([first, last]) => no >= first && no <= last);
    if (seen.has(no)) out.push(`${name}: number ${no} belongs to ${seen.get(no)}`);
    if (!isOwners || no >= DYNAMIC_TABLE_FIRST) out.push(`${name}: number ${no} is not ${owner}'s`);
    if (!Number.isSafeInteger(version) || version < 1) out.push(`${name}: version ${version}`);
    seen.set(no, name);
  }
  return out;
}

const DEFINED = /define(?:Refusals|Routes<[^(]*>\(\))\(\{\n([^]*?)^\}\)/gm;
const NAME = /^ {2}(?:'([^']+)'|([A-Za-z_][\w.]*)): \{/gm;

/**
 * Names that two tables of a service declare, out of their sources: a service joins the tables of its rooms by spreading them, where a name that is
 * there twice takes the place of the first without a word.
 */
export function checkSpread(files: readonly { readonly path: string; readonly text: string }[]): string[] {
  const seen = new Map<string, string>();
  const out: string[] = [];
  for (const { path, text } of files)
    for (const [, body] of text.matchAll(DEFINED))
      for (const [, quoted, plain] of body!.matchAll(NAME)) {
        const name = quoted ?? plain!;
        const first = seen.get(name);
        if (first === undefined) seen.set(name, path);
        else out.push(`${name}: in ${first} and ${path}`);
      }
  return out;
}
