/** Rows that were picked, deleted behind their number, or brought back: each as it was shown here before, one after the other, and what came of it. */
import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { NamedAct } from '../parts/named-act.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { ActSheet } from './act-sheet.tsx';
import { asTold, deleteRow, restoreRow } from './change-row.ts';
import type { Outcome } from './one-by-one.ts';
import { OutcomeView } from './outcome.tsx';
import { Missing, RowsNow, type PickedSheetProps } from './picked-rows.tsx';
import { pickedOf } from './queries.ts';
import { isMarkedDeleted, keyOf, type Row } from './shapes.ts';
import { useOneByOne } from './use-one-by-one.ts';
import { titleOf } from './value.ts';

export function DeletePicked({ context, place, view, rows, picked, act, acts }: PickedSheetProps) {
  const { bulk: words, data } = useWords();
  const { count } = useFigures();
  const { entity } = context;
  const run = useOneByOne<Row>();
  const seen = useQuery(pickedOf(place, entity, act.ids, view));
  const there = (seen.data ?? []).filter((row) => !isMarkedDeleted(entity, row));
  const isSoft = entity.traits.includes('soft_delete');
  const end = ({ done }: Outcome<Row>): void => {
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
            run={() => void run.begin(there, (row) => deleteRow(place, entity, keyOf(entity, row), row)).then(end)}
            cancel={acts.close}
          />
        </>
      )}
      <OutcomeView
        run={run}
        doneSo={words.removed}
        nameOf={(row) => titleOf(entity, row)}
        again={() => void run.again(asTold).then(end)}
      />
      {run.so !== null && !run.isRunning && isSoft && run.so.done.length > 0 && <Text size="sm">{words.back}</Text>}
      <RowsNow entity={entity} rows={rest} />
    </ActSheet>
  );
}

/** Nothing is lost by it, so that no name is typed. */
export function RestorePicked({ context, place, view, rows, picked, act, acts }: PickedSheetProps) {
  const { bulk: words } = useWords();
  const { count } = useFigures();
  const { entity } = context;
  const run = useOneByOne<Row>();
  const seen = useQuery(pickedOf(place, entity, act.ids, view));
  const all = seen.data ?? [];
  const gone = all.filter((row) => isMarkedDeleted(entity, row));
  const end = ({ done }: Outcome<Row>): void => {
    picked.drop(done.map((row) => keyOf(entity, row)));
    if (done.length > 0) rows.reset();
  };
  return (
    <ActSheet title={words.restore(count(act.ids.length))} acts={acts} run={run}>
      <Missing seen={seen} ids={act.ids} />
      {run.so === null && all.length > 0 && (
        <>
          <Text size="sm">
            {words.restoreHow} {gone.length < all.length && words.notDeleted(count(all.length - gone.length))}
          </Text>
          <Group>
            <Button
              size="compact-md"
              disabled={gone.length === 0}
              onClick={() => void run.begin(gone, (row) => restoreRow(place, entity, keyOf(entity, row))).then(end)}
            >
              {words.restore(count(gone.length))}
            </Button>
          </Group>
        </>
      )}
      <OutcomeView
        run={run}
        doneSo={words.restored}
        nameOf={(row) => titleOf(entity, row)}
        again={() => void run.again(asTold).then(end)}
      />
      <RowsNow entity={entity} rows={run.so === null || run.isRunning ? gone : []} />
    </ActSheet>
  );
}
