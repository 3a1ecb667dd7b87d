/** The seeds of the product, with what became of each; its name opens its sheet. */
import { Opens } from '../parts/opens.tsx';
import { Panel } from '../parts/panel.tsx';
import { Table } from '../parts/table.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { useUpkeep } from './port.ts';
import type { Seed } from './shapes.ts';

export function SeedsPanel({ rows }: { readonly rows: readonly Seed[] }) {
  const { upkeep: words } = useWords();
  const { path } = useUpkeep();
  const { moment } = useFigures();
  return (
    <Panel title={words.seeds}>
      <Table
        label={words.seeds}
        rows={rows}
        empty={words.noSeeds}
        keyOf={({ name }) => name}
        columns={[
          {
            label: words.seed,
            cell: ({ name, entity }) => (
              <Opens name={name} to={path} search={{ seed: name }} id={`seed-${name}`}>
                {entity}
              </Opens>
            ),
          },
          { label: words.entity, isMinor: true, cell: ({ entity }) => entity },
          { label: words.state, cell: ({ status }) => words.statusOf(status) },
          {
            label: words.applied,
            isMinor: true,
            cell: ({ applied_at: at }) => (at === undefined ? words.never : moment(at)),
          },
        ]}
      />
    </Panel>
  );
}
