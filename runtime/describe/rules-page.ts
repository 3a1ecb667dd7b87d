/** docs/reference/rules.md: what rules may name, out of the tables by which `skep check` finds a name that means nothing. */
import { KEPT } from '#actors/kit/rule-members.ts';
import { CONTENT_REQUEST, PRINCIPAL, ROW_REQUEST } from '#actors/kit/rule-names.ts';
import { table } from './table.ts';

/** The documentation, from the page. */
const DOCS = '..';

const HEAD = `<!-- Generated from the tables of names by \`npm run generate\`. -->
# Rules

A rule is an expression in CEL (Common Expression Language) that must give true: \`{ language: cel, rule: "'tenant_user' in principal.roles" }\`. It
names \`principal\`, \`row\`, \`request\` and \`now\`, a timestamp. A name that means nothing is found by \`skep check\`, and denies where it is served all
the same. \`matches\` is RE2. No rule means deny, except for a superadmin. What rules promise: [the contract](${DOCS}/contract/data-definitions.md#2-rules);
how to think of them: [rules](${DOCS}/explanation/rules.md).
`;

const PLACES: readonly (readonly string[])[] = [
  ['`access.<operation>` of an entity', 'the row that is there; of a create the row as it would be', 'of rows'],
  ['`row_rule` of an entity', 'each row that is read, and a row as it would be after a write', 'of rows'],
  ['`guard` of a stateflow', 'the row as it would be after the write', 'of rows'],
  ['`access` of an action', 'null', 'of rows'],
  [
    '`access.<operation>` of a content store',
    'the asset, the folder or the tag; null where there is none yet',
    'of content',
  ],
  ['`access.<operation>` of a content app', 'null: it is asked before a document is read', 'of content'],
];

/** The page. */
export function rulesPage(): string {
  const markers = Object.entries(KEPT).map(([trait, names]) => [
    names.map(code).join(', '),
    `with the trait ${code(trait)}`,
  ]);
  return [
    HEAD,
    part('What a rule sees, by its place', table(['Rule', '`row`', '`request`'], PLACES)),
    part('principal', members('principal', PRINCIPAL)),
    part('row', table(['Member', 'There'], [['`id`', 'always'], ['each field', 'by its name'], ...markers])),
    part('request, of rows', members('request', ROW_REQUEST)),
    part('request, of content', members('request', CONTENT_REQUEST)),
  ].join('');
}

const code = (name: string): string => `\`${name}\``;
const part = (title: string, text: string): string => `\n## ${title}\n\n${text}`;

function members(of: string, words: Readonly<Record<string, string>>): string {
  const rows = Object.entries(words).map(([name, what]) => [code(`${of}.${name}`), what]);
  return table(['Name', 'What it is'], rows);
}
