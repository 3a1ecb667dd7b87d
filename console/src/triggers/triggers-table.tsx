/** The triggers of the tenant, each with what fires it, what it does, and how its events ended. Its name leads to them. */
import { Opens } from '../parts/opens.tsx';
import { Table } from '../parts/table.tsx';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { triggersPath } from './paths.ts';
import { Does, FiredBy } from './says.tsx';
import type { Trigger } from './shapes.ts';

export function TriggersTable({ rows }: { readonly rows: readonly Trigger[] }) {
  const { triggers: words } = useWords();
  const { key } = usePlace();
  const { count } = useFigures();
  const figure = (label: string, of: (trigger: Trigger) => number, isMinor = false) =>
    ({ label, isMinor, isFigure: true, cell: (one: Trigger) => count(of(one)) }) as const;
  return (
    <Table
      label={words.list}
      rows={rows}
      empty={words.none}
      keyOf={({ name }) => name}
      columns={[
        {
          label: words.trigger,
          cell: (one) => (
            <div className="trigger-name">
              <Opens name={one.name} to={triggersPath(key)} search={{ trigger: one.name }}>
                <FiredBy of={one} />
              </Opens>
            </div>
          ),
        },
        { label: words.fires, isMinor: true, cell: (one) => <FiredBy of={one} /> },
        { label: words.does, isMinor: true, cell: (one) => <Does of={one} /> },
        figure(words.outcomes.waiting, ({ waiting }) => waiting, true),
        figure(words.done, ({ delivered }) => delivered, true),
        figure(words.outcomes.failed, ({ failed }) => failed),
        figure(words.outcomes.dropped, ({ dropped }) => dropped, true),
      ]}
    />
  );
}
