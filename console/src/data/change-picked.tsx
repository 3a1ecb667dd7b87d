/** Rows that were picked, changed in one field: each as it was shown here before, one after the other, and what came of it. */
import { Button, Checkbox, Group, NativeSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Table } from '../parts/table.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { ActSheet } from './act-sheet.tsx';
import { changeRow } from './change-row.ts';
import { FieldControl } from './field-control.tsx';
import { merged } from './follow.ts';
import { OutcomeView } from './outcome.tsx';
import { Missing, type PickedSheetProps } from './picked-rows.tsx';
import { pickedOf } from './queries.ts';
import { keyOf, type Field, type Row } from './shapes.ts';
import { useOneByOne } from './use-one-by-one.ts';
import { isEditable, textOf, titleOf, valueOf } from './value.ts';

export function ChangePicked({ context, place, view, rows, act, acts }: PickedSheetProps) {
  const { bulk: words, data } = useWords();
  const { count } = useFigures();
  const { entity } = context;
  const run = useOneByOne<Row>();
  const seen = useQuery(pickedOf(place, entity, act.ids, view));
  const fields = entity.fields.filter(
    (field) => isEditable(field) && field.mask === undefined && field.name !== entity.primary_key,
  );
  const [field, setField] = useState<Field | undefined>(fields[0]);
  /** Null until the reader has said what is to be there. */
  const [text, setText] = useState<string | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const all = seen.data ?? [];
  const differing = field === undefined || text === null ? [] : all.filter((row) => !has(row, field, text));
  const shown = (row: Row): void =>
    rows.pages.replace(
      (one) => keyOf(entity, one) === keyOf(entity, row),
      (one) => merged(entity, one, row),
    );
  const change = async (of: Field, to: string): Promise<void> => {
    let value: unknown;
    try {
      value = valueOf(to, of);
    } catch (error) {
      setFault(`${data.badJson} ${(error as Error).message}`);
      return;
    }
    await run.begin(differing, async (row) => {
      shown({ ...row, ...(await changeRow(place, entity, keyOf(entity, row), row, { [of.name]: value })) });
    });
    // Those that stayed may have been changed by others.
    (await seen.refetch()).data?.forEach(shown);
  };
  return (
    <ActSheet title={words.change(count(act.ids.length))} acts={acts} run={run}>
      <Missing seen={seen} ids={act.ids} />
      <NativeSelect
        label={words.field}
        size="sm"
        value={field?.name}
        disabled={run.isRunning}
        data={fields.map(({ name }) => name)}
        onChange={({ currentTarget: { value } }) => {
          setField(fields.find(({ name }) => name === value));
          setText(null);
          setFault(null);
        }}
      />
      {field !== undefined && (
        <>
          <FieldControl
            field={field}
            context={context}
            place={place}
            row={null}
            isLocked={run.isRunning}
            text={text ?? ''}
            faults={fault === null ? [] : [fault]}
            onChange={(to) => {
              setText(to);
              setFault(null);
            }}
          />
          <Checkbox
            size="xs"
            label={words.isEmptied}
            checked={text === ''}
            disabled={run.isRunning}
            onChange={({ currentTarget }) => setText(currentTarget.checked ? '' : null)}
          />
          <Group>
            <Button
              size="compact-md"
              disabled={text === null || differing.length === 0 || run.isRunning}
              onClick={() => void change(field, text!)}
            >
              {words.change(count(text === null ? all.length : differing.length))}
            </Button>
          </Group>
          {text !== null && !run.isRunning && differing.length < all.length && (
            <Text size="sm" c="dimmed">
              {words.same(count(all.length - differing.length))}
            </Text>
          )}
          <OutcomeView run={run} doneSo={words.changed} nameOf={(row) => titleOf(entity, row)} />
          <div className="import-columns">
            <Table
              label={words.rowsNow}
              rows={all}
              empty=""
              keyOf={(row) => keyOf(entity, row)}
              columns={[
                { label: data.row, cell: (row) => titleOf(entity, row) },
                { label: `${field.name} · ${words.now}`, cell: (row) => textOf(row[field.name]) || '–' },
              ]}
            />
          </div>
        </>
      )}
    </ActSheet>
  );
}

const has = (row: Row, { name, type }: Field, text: string): boolean => {
  if (type !== 'json' || text === '') return textOf(row[name]) === text;
  try {
    return textOf(row[name]) === JSON.stringify(JSON.parse(text));
  } catch {
    return false;
  }
};
