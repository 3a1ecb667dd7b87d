/** What came of writes one after the other: how many were done, which were refused and why, and how many were not begun. */
import { Button, Group, Progress, Text } from '@mantine/core';
import { isSkepError } from '@skep/client';
import { Table } from '../parts/table.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { Overtaken } from './change-row.ts';
import { faultsOf } from './faults.ts';
import { textOf } from './value.ts';
import type { Run } from './use-one-by-one.ts';

interface OutcomeProps<T> {
  readonly run: Run<T>;
  /** Says how many were done. */
  readonly doneSo: (rows: string) => string;
  /** By what a reader knows one. */
  readonly nameOf: (item: T) => string;
  /** Tries those again that were refused or not begun, where nothing else on the sheet does. */
  readonly again?: () => void;
}

export function OutcomeView<T>({ run: { so, isRunning, stop }, doneSo, nameOf, again }: OutcomeProps<T>) {
  const words = useWords();
  const { count } = useFigures();
  if (so === null) return null;
  const tried = so.done.length + so.refused.length;
  const all = tried + so.left.length;
  if (isRunning)
    return (
      <div>
        <Progress value={(100 * tried) / Math.max(1, all)} aria-label={words.bulk.progress} transitionDuration={0} />
        <Group gap="xs" mt={4}>
          <Text size="sm">{words.bulk.soFar(count(tried), count(all))}</Text>
          <Button variant="default" size="compact-xs" onClick={stop}>
            {words.grid.stop}
          </Button>
        </Group>
      </div>
    );
  return (
    <div>
      <Text role="status">
        {doneSo(count(so.done.length))} {so.refused.length > 0 && words.bulk.refused(count(so.refused.length))}{' '}
        {so.left.length > 0 && words.bulk.left(count(so.left.length))}
      </Text>
      {so.halt !== null && (
        <Text size="sm" className="fault-text">
          {words.bulk.halted}
        </Text>
      )}
      {again !== undefined && all > so.done.length && (
        <Button variant="default" size="compact-sm" my={4} onClick={again}>
          {words.bulk.again(count(all - so.done.length))}
        </Button>
      )}
      {so.refused.length > 0 && (
        <Table
          label={words.bulk.refusedList}
          rows={so.refused}
          empty=""
          keyOf={({ item }) => nameOf(item)}
          columns={[
            { label: words.data.row, cell: ({ item }) => nameOf(item) },
            { label: words.data.why, cell: ({ error }) => <span className="import-why">{said(error, words)}</span> },
          ]}
        />
      )}
    </div>
  );
}

/** The node's words on each field; on the whole, where it has none on them. */
function said(error: Error, { data, bulk }: ReturnType<typeof useWords>): string {
  if (error instanceof Overtaken) return `${error.field}: ${data.overtaken(textOf(error.newer) || data.nothing)}`;
  const fields = Object.entries(faultsOf(error)).map(([name, faults]) => `${name}: ${faults.join('; ')}`);
  if (fields.length > 0) return fields.join('. ');
  if (!isSkepError(error)) return error.message;
  return `${error.message} (${error.code})${error.status === 0 ? `. ${bulk.unsure}` : ''}`;
}
