/** docs/reference/definitions/: a page for each kind of file that people write, out of the schema that checks it, and their index. */
import { fileKinds, type FileKind } from '#config/file-kinds.ts';
import { jsonSchemaOf } from '#config/json-schema.ts';
import { keysOf } from '#config/schema-walk.ts';
import { keyTable } from './key-table.ts';
import { table } from './table.ts';

/** The documentation, from a page. */
const DOCS = '../..';
const FOLDER = 'docs/reference/definitions';
const NOTE = '<!-- Generated from the schemas by `npm run generate`. -->\n';
const KINDS: readonly (readonly [string, FileKind])[] = Object.entries(fileKinds);

/** Path under the project → text: pages, their index, and the JSON Schemas. The platform file has its page elsewhere. */
export function definitionFiles(): Map<string, string> {
  const pages = KINDS.filter(([name]) => name !== 'platform');
  return new Map([
    [`${FOLDER}/README.md`, indexPage()],
    ...pages.map(([name, kind]) => [`${FOLDER}/${name}.md`, definitionPage(name, kind)] as const),
    ...KINDS.map(([name, kind]) => [schemaPath(name), `${JSON.stringify(jsonSchemaOf(kind), null, 1)}\n`] as const),
  ]);
}

/** The JSON Schema of a kind, from the root of the project. */
const schemaPath = (name: string): string => `docs/schemas/${name}.schema.json`;

const filesOf = ({ files }: FileKind): string => files.map((file) => `\`${file}\``).join(', ');

function indexPage(): string {
  const rows = KINDS.map(([name, kind]) => [
    `[${kind.title}](${name === 'platform' ? '../platform-file' : name}.md)`,
    filesOf(kind),
    kind.about,
    `[\`${name}\`](../../schemas/${name}.schema.json)`,
  ]);
  return `${NOTE}# Files that one writes

Each page has every key of its files: what it is for, what it takes, what counts without it. The schemas are for editors: [how](${DOCS}/how-to/editor.md);
\`skep schema <name>\` prints one. What rules and guards may name: [rules](${DOCS}/reference/rules.md).

${table(['Files', 'Where', 'What they declare', 'JSON Schema'], rows)}`;
}

function definitionPage(name: string, kind: FileKind): string {
  const variables = kind.takesVariables === undefined ? 'No value reads the environment.' : variablesText(kind);
  const where = kind.of === 'product' ? 'of a checkout' : 'of a node';
  return `${NOTE}# ${kind.title}

What they declare: ${kind.about}. Files ${where}: ${filesOf(kind)}. A key that is not here is an error, and so is a file that ends in \`.yml\`. \`[]\`
stands for an item of a list, \`<name>\` for a name of yours. ${variables} What the keys mean in full:
[the contract](${kind.contract.replace('docs', DOCS)}). For editors: [JSON Schema](../../schemas/${name}.schema.json).

${keyTable(keysOf(kind.schema))}`;
}

function variablesText({ takesVariables }: FileKind): string {
  return takesVariables!(['<name>'])
    ? '`${NAME}` reads the environment.'
    : '`${NAME}` reads the environment where a secret belongs.';
}
