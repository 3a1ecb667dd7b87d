/** What a paste would change, cell by cell, before anything is written; then row by row, each as it was seen. */
import { Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Table } from '../parts/table.tsx';
import type { Place } from '../session/session.ts';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { ActSheet } from './act-sheet.tsx';
import type { CellContext } from './cell.tsx';
import { asTold, changeRow } from './change-row.ts';
import { merged } from './follow.ts';
import { OutcomeView } from './outcome.tsx';
import type { Paste, PastedCell, PastedRow } from './paste.ts';
import { keyOf, type Row } from './shapes.ts';
import type { Acts } from './use-act.ts';
import { useOneByOne } from './use-one-by-one.ts';
import type { Rows } from './use-rows.ts';
import { textOf, titleOf } from './value.ts';

interface PasteSheetProps {
  readonly context: CellContext;
  readonly place: Place;
  readonly rows: Rows;
  readonly paste: Paste;
  readonly acts: Acts;
}

const fits = ({ fault }: PastedCell): boolean => fault === null;

export function PasteSheet({ context: { entity }, place, rows, paste, acts }: PasteSheetProps) {
  const { bulk: words } = useWords();
  const { count } = useFigures();
  const run = useOneByOne<PastedRow>();
  const writable = paste.rows.filter(({ cells }) => cells.some(fits));
  const cells = paste.rows.flatMap(({ row, cells: own }) => own.map((cell) => ({ row, cell })));
  const good = cells.filter(({ cell }) => fits(cell)).length;
  const write = ({ row, cells: own }: PastedRow): Promise<void> => {
    const values: Row = Object.fromEntries(own.filter(fits).map(({ field, value }) => [field.name, value]));
    const id = keyOf(entity, row);
    return changeRow(place, entity, id, row, values).then((kept) =>
      rows.pages.replace(
        (one) => keyOf(entity, one) === id,
        (one) => merged(entity, one, { ...one, ...kept }),
      ),
    );
  };
  return (
    <ActSheet title={words.paste} acts={acts} run={run}>
      {run.so === null && (
        <>
          <Text role="status">
            {words.wouldChange(count(good), count(writable.length))}{' '}
            {cells.length > good && words.faulty(count(cells.length - good))}{' '}
            {paste.same > 0 && words.sameCells(count(paste.same))}{' '}
            {paste.outside > 0 && words.outside(count(paste.outside))}
          </Text>
          <Group gap="xs">
            <Button size="compact-md" disabled={good === 0} onClick={() => void run.begin(writable, write)}>
              {words.changeCells(count(good))}
            </Button>
          </Group>
        </>
      )}
      <OutcomeView
        run={run}
        doneSo={words.changed}
        nameOf={({ row }) => titleOf(entity, row)}
        again={() => void run.again(({ row, cells: own }, error) => ({ row: asTold(row, error), cells: own }))}
      />
      {run.so === null && <Preview cells={cells} nameOf={(row) => titleOf(entity, row)} />}
    </ActSheet>
  );
}

interface PreviewProps {
  readonly cells: readonly { readonly row: Row; readonly cell: PastedCell }[];
  readonly nameOf: (row: Row) => string;
}

/** Cells with a fault come first: they are what a reader looks for. */
function Preview({ cells, nameOf }: PreviewProps) {
  const { bulk: words, data } = useWords();
  const placed = [...cells.filter(({ cell }) => !fits(cell)), ...cells.filter(({ cell }) => fits(cell))];
  return (
    <div className="import-columns">
      <Table
        label={words.pasted}
        rows={placed}
        empty={words.nothingChanges}
        keyOf={({ row, cell }) => `${cell.field.name} ${nameOf(row)}`}
        columns={[
          {
            label: data.row,
            cell: ({ row, cell }) => (
              <>
                {nameOf(row)}
                <br />
                <b>{cell.field.name}</b>
              </>
            ),
          },
          {
            label: words.change1,
            cell: ({ cell: { before, text, fault } }) => (
              <span className="import-why">
                <del>{textOf(before) || '–'}</del> → {text === '' ? '–' : text}
                {fault !== null && (
                  <span className="paste-fault fault-text">
                    <IconAlertTriangle size={14} aria-hidden /> {words.cellFaults[fault]}
                  </span>
                )}
              </span>
            ),
          },
        ]}
      />
    </div>
  );
}
