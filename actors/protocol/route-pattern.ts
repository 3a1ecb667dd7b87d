/** Reads the path of a route row (actors/protocol/route.ts). */

export interface RoutePattern {
  /** Literal text, or null for a parameter; without a final `{name*}`. */
  readonly segments: readonly (string | null)[];
  /** The pattern ends in `{name*}`: one or more further characters. */
  readonly rest: boolean;
}

const PARAMETER = /^\{[A-Za-z_][A-Za-z0-9_]*(\*?)\}$/;

/** Splits a pattern. Throws where braces are not a whole segment, a `*` is not last, or a name comes twice. */
export function parsePattern(path: string): RoutePattern {
  if (!path.startsWith('/')) throw new Error(`router: ${path} does not begin with a slash`);
  const parts = path.slice(1).split('/');
  const segments: (string | null)[] = [];
  const names = new Set<string>();
  let rest = false;
  for (const part of parts) {
    if (rest) throw new Error(`router: something follows the rest parameter of ${path}`);
    const parameter = PARAMETER.exec(part);
    if (parameter === null && /[{}*]/.test(part)) throw new Error(`router: ${path} has a malformed parameter ${part}`);
    if (parameter !== null) addName(names, part.replace(/[{}*]/g, ''), path);
    rest = parameter !== null && parameter[1] === '*';
    if (!rest) segments.push(parameter === null ? part : null);
  }
  return { segments, rest };
}

function addName(names: Set<string>, name: string, path: string): void {
  if (names.has(name)) throw new Error(`router: ${path} names ${name} twice`);
  names.add(name);
}
