/** Which field each column of a file fills. It is open where a column has none. */
import { NativeSelect, Text } from '@mantine/core';
import { Table } from '../parts/table.tsx';
import { useWords } from '../words/words.tsx';
import { fillable, mapped, type ColumnMap } from './column-map.ts';
import type { EntityDoc } from './shapes.ts';

interface ImportColumnsProps {
  readonly entity: EntityDoc;
  readonly columns: readonly string[];
  readonly map: ColumnMap;
  readonly isLocked: boolean;
  readonly onChange: (map: ColumnMap) => void;
}

export function ImportColumns({ entity, columns, map, isLocked, onChange }: ImportColumnsProps) {
  const { importing: words } = useWords();
  const out = columns.filter((_, at) => map[at] === null);
  return (
    <div>
      {out.length > 0 && (
        <Text size="sm" className="fault-text">
          {words.areLeftOut(out.join(', '))}
        </Text>
      )}
      <details className="import-map" open={out.length > 0 || undefined}>
        <summary>{words.columns}</summary>
        <div className="import-columns">
          <Table
            label={words.columns}
            rows={columns.map((name, at) => ({ name, at }))}
            empty=""
            keyOf={({ at }) => String(at)}
            columns={[
              { label: words.column, cell: ({ name }) => name },
              {
                label: words.field,
                cell: ({ name, at }) => (
                  <NativeSelect
                    size="xs"
                    aria-label={words.fieldOf(name)}
                    disabled={isLocked}
                    value={map[at] ?? ''}
                    data={[{ value: '', label: words.leftOut }, ...fillable(entity)]}
                    onChange={({ currentTarget: { value } }) => onChange(mapped(map, at, value === '' ? null : value))}
                  />
                ),
              },
            ]}
          />
        </div>
      </details>
    </div>
  );
}
