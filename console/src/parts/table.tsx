/** A table of texts and figures that scrolls sideways by itself where the page is narrow; one sentence where it is empty. */
import { Table as MantineTable, Text } from '@mantine/core';
import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly label: string;
  readonly isFigure?: boolean;
  /** Left out where the page is narrow. */
  readonly isMinor?: boolean;
  readonly cell: (row: Row) => ReactNode;
}

interface TableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly empty: string;
  readonly keyOf: (row: Row) => string;
}

export function Table<Row>({ label, rows, columns, empty, keyOf }: TableProps<Row>) {
  if (rows.length === 0) return <Text c="dimmed">{empty}</Text>;
  const from = ({ isMinor }: Column<Row>) => (isMinor === true ? { visibleFrom: 'sm' } : {});
  const side = ({ isFigure }: Column<Row>) => (isFigure === true ? 'right' : 'left');
  return (
    // A reader without a mouse scrolls it by the arrow keys.
    <div className="region" role="region" aria-label={label} tabIndex={0}>
      <MantineTable fz="sm" verticalSpacing={4} horizontalSpacing="xs">
        <MantineTable.Thead>
          <MantineTable.Tr>
            {columns.map((column) => (
              <MantineTable.Th key={column.label} ta={side(column)} {...from(column)}>
                {column.label}
              </MantineTable.Th>
            ))}
          </MantineTable.Tr>
        </MantineTable.Thead>
        <MantineTable.Tbody>
          {rows.map((row) => (
            <MantineTable.Tr key={keyOf(row)}>
              {columns.map((column) => (
                <MantineTable.Td key={column.label} ta={side(column)} {...from(column)}>
                  {column.cell(row)}
                </MantineTable.Td>
              ))}
            </MantineTable.Tr>
          ))}
        </MantineTable.Tbody>
      </MantineTable>
    </div>
  );
}
