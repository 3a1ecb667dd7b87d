/** Documents by what people know them by, each with its state; one that is missing in the chosen language is told. */
import type { Document } from '@skep/client';
import { textOf } from '../data/value.ts';
import { labelField } from '../data/shapes.ts';
import { Opens } from '../parts/opens.tsx';
import { Table } from '../parts/table.tsx';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { documentPath } from './paths.ts';
import type { DocumentsSearch } from './search.ts';
import { entityOf, idOf, type App, type Type } from './shapes.ts';
import { StateBadge } from './state-badge.tsx';

interface DocumentsTableProps {
  readonly app: App;
  readonly type: Type;
  readonly rows: readonly Document[];
  readonly search: DocumentsSearch;
  readonly empty: string;
}

export function DocumentsTable({ app, type, rows, search: { locale }, empty }: DocumentsTableProps) {
  const { content: words } = useWords();
  const { key } = usePlace();
  const { moment } = useFigures();
  const wanted = locale ?? app.locale?.default;
  const isMissing = (one: Document): boolean => wanted !== undefined && app.locale !== null && one.locale !== wanted;
  const at = (value: unknown): string => (typeof value === 'string' ? moment(value) : '–');
  return (
    <Table
      label={words.documents}
      rows={rows}
      empty={empty}
      keyOf={({ id }) => id}
      columns={[
        {
          label: words.document,
          cell: (one) => (
            <Opens
              name={nameOf(type, one)}
              to={documentPath(key, app.name, type.name, idOf(one))}
              search={locale === undefined ? {} : { locale }}
            >
              {at(one['updated_at'])}
            </Opens>
          ),
        },
        { label: words.state, cell: (one) => <StateBadge of={isMissing(one) ? 'missing' : one.status} /> },
        { label: words.changed, isMinor: true, cell: (one) => at(one['updated_at']) },
        { label: words.published, isMinor: true, cell: (one) => at(one['published_at']) },
      ]}
    />
  );
}

const NAME_CHARS = 80;

/** The text by which people know a document; its id where it has none. */
export function nameOf(type: Type, document: Document): string {
  const text = textOf(document[labelField(entityOf(type))])
    .trim()
    .split('\n', 1)[0]!;
  if (text === '') return idOf(document);
  return text.length > NAME_CHARS ? `${text.slice(0, NAME_CHARS)}…` : text;
}
