/** Keys of a file as a table: what each is for, what it takes, what counts without it. */
import { stringify } from 'yaml';
import type { KeyOfSchema } from '#config/schema-walk.ts';
import { table } from './table.ts';

/** A column that no row has anything in is left out. */
export function keyTable(keys: readonly KeyOfSchema[]): string {
  const hasAbout = keys.some(({ about }) => about !== undefined);
  const head = ['Key', ...(hasAbout ? ['For'] : []), 'Takes', 'Default', 'Example'];
  return table(
    head,
    keys.map((key) => {
      const [first, ...others] = rowOf(key);
      return [first!, ...(hasAbout ? [plain(key.about ?? '')] : []), ...others];
    }),
  );
}

function rowOf({ path, takes, required, standard, example }: KeyOfSchema): string[] {
  const isShown = standard !== undefined && standard !== '';
  const byDefault = isShown ? code(flow(standard)) : '';
  return [
    code(path.join('.').replaceAll('.[]', '[]')),
    plain(takes),
    required ? '*required*' : byDefault,
    example === undefined ? '' : code(example),
  ];
}

const code = (text: string): string => `\`${text}\``;

/** Text that no reader of Markdown takes for a tag, a formatting or a template. */
const plain = (text: string): string => text.replaceAll('<', '&lt;').replaceAll('*', '&#42;');

/** A value in one line, as the file would have it. */
function flow(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim();
}
