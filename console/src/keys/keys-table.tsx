/** Keys in a table; the name of each opens its sheet. */
import { Opens } from '../parts/opens.tsx';
import { Table } from '../parts/table.tsx';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { keysPath } from './paths.ts';
import { grantOf } from './search.ts';
import type { ApiKey } from './shapes.ts';
import { KeyBadge } from './state-badge.tsx';

/** The link of a key in the list, to which the keyboard comes back. */
export const linkId = (id: string): string => `key-${id}`;

/** What a key may do, in a few words; the grant of its tenant alone is what such a key is for. */
export function MayDo({ of: { roles, scope, is_superadmin: isSuper } }: { readonly of: ApiKey }) {
  const { keys: words } = useWords();
  const { key } = usePlace();
  const grants = scope.map((grant) => (grant === grantOf(key) ? words.forData : grant));
  return [...(isSuper ? ['superadmin'] : []), ...roles, ...grants].join(', ') || '–';
}

export function KeysTable({ rows }: { readonly rows: readonly ApiKey[] }) {
  const { keys: words } = useWords();
  const { key } = usePlace();
  const { moment } = useFigures();
  return (
    <Table
      label={words.list}
      rows={rows}
      empty={words.none}
      keyOf={({ id }) => id}
      columns={[
        {
          label: words.name,
          cell: (one) => (
            <Opens name={one.name ?? one.id} to={keysPath(key)} search={{ key: one.id }} id={linkId(one.id)}>
              <MayDo of={one} />
            </Opens>
          ),
        },
        { label: words.state, cell: (one) => <KeyBadge of={one} /> },
        {
          label: words.may,
          isMinor: true,
          cell: (one) => (
            <span className="key-name">
              <MayDo of={one} />
            </span>
          ),
        },
        {
          label: words.lastUsed,
          isMinor: true,
          cell: ({ last_used_at: at }) => (at === null ? words.never : moment(at)),
        },
        { label: words.ends, isMinor: true, cell: ({ expires_at: at }) => (at === null ? words.never : moment(at)) },
      ]}
    />
  );
}
