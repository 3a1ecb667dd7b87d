/** Rows that were picked, changed in one field or deleted: each as it was shown here before, one after the other, and what came of it. */
import { Button, Checkbox, Group, NativeSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Fault } from '../parts/fault.tsx';
import { NamedAct } from '../parts/named-act.tsx';
import { Table } from '../parts/table.tsx';
import type { Place } from '../session/session.ts';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { ActSheet } from './act-sheet.tsx';
import type { CellContext } from './cell.tsx';
import { changeRow, deleteRow } from './change-row.ts';
import { FieldControl } from './field-control.tsx';
import { merged } from './follow.ts';
import { OutcomeView } from './outcome.tsx';
import { pickedOf } from './queries.ts';
import { isMarkedDeleted, keyOf } from './shapes.ts';
import type { Field, Row } from './shapes.ts';
import type { ActOnPicked, Acts } from './use-act.ts';
import { useOneByOne } from './use-one-by-one.ts';
import type { Picked } from './use-picked.ts';
import type { Rows } from './use-rows.ts';
import { isEditable, textOf, titleOf, valueOf } from './value.ts';
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
  const change = async (of: Field, to: string): Promise<void> => {
    let value: unknown;
    try {
      value = valueOf(to, of);
    } catch (error) {
      setFault(`${data.badJson} ${(error as Error).message}`);
      return;
    }
    const shown = (row: Row): void =>
      rows.pages.replace(
        (one) => keyOf(entity, one) === keyOf(entity, row),
        (one) => merged(entity, one, row),
      );
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

export function DeletePicked({ context, place, view, rows, picked, act, acts }: PickedSheetProps) {
  const { bulk: words, data } = useWords();
  const { count } = useFigures();
  const { entity } = context;
  const run = useOneByOne<Row>();
  const seen = useQuery(pickedOf(place, entity, act.ids, view));
  const there = (seen.data ?? []).filter((row) => !isMarkedDeleted(entity, row));
  const isSoft = entity.traits.includes('soft_delete');
  const remove = async (): Promise<void> => {
    const { done } = await run.begin(there, (row) => deleteRow(place, entity, keyOf(entity, row), row));
    picked.drop(done.map((row) => keyOf(entity, row)));
    if (done.length > 0) rows.reset();
  };
  const rest = run.so === null || run.isRunning ? there : [];
  return (
    <ActSheet title={words.remove(count(act.ids.length))} acts={acts} run={run}>
      <Missing seen={seen} ids={act.ids} />
      {run.so === null && there.length > 0 && (
        <>
          <Text size="sm">{isSoft ? words.back : words.forGood}</Text>
          <NamedAct
            act={words.remove(count(there.length))}
            how={words.removeSure}
            name={`${there.length} ${entity.name}`}
            label={data.deleteTyped}
            isTyped={(typed) => typed.trim() === `${there.length} ${entity.name}`}
            run={() => void remove()}
            cancel={acts.close}
          />
        </>
      )}
      <OutcomeView run={run} doneSo={words.removed} nameOf={(row) => titleOf(entity, row)} />
      {run.so !== null && !run.isRunning && isSoft && run.so.done.length > 0 && <Text size="sm">{words.back}</Text>}
      {rest.length > 0 && (
        <Table
          label={words.rowsNow}
          rows={rest}
          empty=""
          keyOf={(row) => keyOf(entity, row)}
          columns={[{ label: data.row, cell: (row) => titleOf(entity, row) }]}
        />
      )}
    </ActSheet>
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
function Missing({ seen: { data, error, refetch }, ids }: MissingProps) {
  const { bulk: words } = useWords();
  const { count } = useFigures();
  if (error !== null) return <Fault error={error} again={() => void refetch()} />;
  if (data === undefined || data.length === ids.length) return null;
  return <Text size="sm">{data.length === 0 ? words.none : words.gone(count(ids.length - data.length))}</Text>;
}
