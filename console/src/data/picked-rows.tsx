/** Rows that were picked, as the sheets of what is done with them show them. */
import { Text } from '@mantine/core';
import { Fault } from '../parts/fault.tsx';
import { Table } from '../parts/table.tsx';
import type { Place } from '../session/session.ts';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import type { CellContext } from './cell.tsx';
import { keyOf, type EntityDoc, type Row } from './shapes.ts';
import type { ActOnPicked, Acts } from './use-act.ts';
import type { Picked } from './use-picked.ts';
import type { Rows } from './use-rows.ts';
import { titleOf } from './value.ts';
import type { View } from './view.ts';

export interface PickedSheetProps {
  readonly context: CellContext;
  readonly place: Place;
  readonly view: View;
  readonly rows: Rows;
  readonly picked: Picked;
  readonly act: ActOnPicked;
  readonly acts: Acts;
}

interface RowsNowProps {
  readonly entity: EntityDoc;
  readonly rows: readonly Row[];
}

export function RowsNow({ entity, rows }: RowsNowProps) {
  const { bulk: words, data } = useWords();
  if (rows.length === 0) return null;
  return (
    <Table
      label={words.rowsNow}
      rows={rows}
      empty=""
      keyOf={(row) => keyOf(entity, row)}
      columns={[{ label: data.row, cell: (row) => titleOf(entity, row) }]}
    />
  );
}

interface MissingProps {
  readonly seen: {
    readonly data: readonly Row[] | undefined;
    readonly error: Error | null;
    readonly refetch: () => Promise<unknown>;
  };
  readonly ids: readonly string[];
}

/** Picked rows that are not there, or could not be asked for. */
export function Missing({ seen: { data, error, refetch }, ids }: MissingProps) {
  const { bulk: words } = useWords();
  const { count } = useFigures();
  if (error !== null) return <Fault error={error} again={() => void refetch()} />;
  if (data === undefined || data.length === ids.length) return null;
  return <Text size="sm">{data.length === 0 ? words.none : words.gone(count(ids.length - data.length))}</Text>;
}
