/**
 * `@skep/client` as a page without a build tool takes it: one ES module, and beside it one file of declarations, by which `tsc` checks the page. They are
 * made from `client/` and kept nowhere by hand (docs/decisions/runtime.md RT-40).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { isolatedDeclarationSync } from 'rolldown/experimental';
import { parseSync } from 'rolldown/utils';
import { ROOT } from '../place.ts';

const FOLDER = `${ROOT}client`;
const ENTRY = 'index.ts';

/** The module and its declarations, in this order. Rejects where the declarations of two modules cannot stand in one file. */
export async function buildClient(): Promise<readonly [module: string, declarations: string]> {
  const { version, license } = JSON.parse(readFileSync(`${FOLDER}/package.json`, 'utf8')) as Record<string, string>;
  const banner = `/*! @skep/client ${version}, ${license}. Skep made this file: take a newer one in its place. */\n`;
  // A page's `tsc` reads the declarations, and has nothing to say about the module.
  return [`${banner}// @ts-nocheck\n${await bundle()}`, `${banner}${declarations()}`];
}

async function bundle(): Promise<string> {
  const built = await rolldown({ input: `${FOLDER}/${ENTRY}`, cwd: ROOT, platform: 'browser', logLevel: 'warn' });
  try {
    const { output } = await built.generate({ format: 'esm', minify: true, comments: false });
    return output[0].code;
  } finally {
    await built.close();
  }
}

/**
 * The declarations of all modules that the entry leads to, one behind the other. What a module exports to its neighbours alone is not exported; so each name may
 * be declared once, and imported under no other one.
 */
export function declarations(read: (path: string) => string = readClient): string {
  const declared = new Map<string, string>();
  const texts: string[] = [];
  let exported = '';
  const seen = new Set([ENTRY]);
  for (const path of seen) {
    const part = partOf(path, read(path));
    for (const next of part.leadsTo) seen.add(next);
    for (const name of part.declares) {
      if (declared.has(name)) throw new Error(`client: ${declared.get(name)} and ${path} both declare ${name}`);
      declared.set(name, path);
    }
    if (path === ENTRY) exported = `export { ${part.exports.toSorted().join(', ')} };\n`;
    texts.push(part.text);
  }
  return (texts.join('') + exported).replaceAll(/^\n+/gm, '');
}

const readClient = (path: string): string => readFileSync(join(FOLDER, path), 'utf8');

interface Part {
  /** Its declarations, none of them exported. */
  readonly text: string;
  readonly declares: readonly string[];
  /** What the entry exports of others. */
  readonly exports: readonly string[];
  readonly leadsTo: readonly string[];
}

/** One statement of a module of declarations, as far as it matters here. */
interface Statement {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly id?: { readonly name: string } | null;
  readonly source?: { readonly value: string } | null;
  readonly declaration?: Statement | null;
  readonly declarations?: readonly Statement[];
  readonly specifiers?: readonly Specifier[];
}

type Specifier = Readonly<Partial<Record<'local' | 'imported' | 'exported', { readonly name: string }>>>;

function partOf(path: string, source: string): Part {
  const { code, errors } = isolatedDeclarationSync(path, source);
  if (errors.length > 0) throw new Error(`client/${path}: ${errors[0]!.message}`);
  const part = { text: '', declares: [] as string[], exports: [] as string[], leadsTo: [] as string[] };
  let from = 0;
  for (const statement of parseSync(path, code, { lang: 'dts' }).program.body as unknown as Statement[]) {
    const { type, source: other, declaration, specifiers = [], start, end } = statement;
    part.text += code.slice(from, start);
    from = end;
    if (other) {
      part.leadsTo.push(other.value.replace('./', ''));
      part.exports.push(...specifiers.map((names) => onlyName(path, names)));
    } else if (declaration || type !== 'ExportNamedDeclaration') {
      const declared = declaration ?? statement;
      part.declares.push(...namesOf(declared));
      part.text += code.slice(declared.start, end);
    }
  }
  return { ...part, text: part.text + code.slice(from) };
}

/** A name that an import or an export carries over as it is. */
function onlyName(path: string, { local, imported, exported }: Specifier): string {
  const other = imported ?? exported;
  if (local === undefined || local.name !== other?.name)
    throw new Error(`client/${path}: a name is changed on its way`);
  return local.name;
}

const namesOf = ({ id, declarations = [] }: Statement): string[] =>
  [id, ...declarations.map((one) => one.id)].flatMap((one) => one?.name ?? []);
