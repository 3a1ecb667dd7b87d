/** What the tenant's audit log has of one row, newest first, and the proof of each record, which this browser checks. */
import { Anchor, Button, Checkbox, Group, Stack, Text, Title } from '@mantine/core';
import { isSkepError } from '@skep/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Outcome } from '../audit/outcome.tsx';
import { ProofPanel } from '../audit/proof-panel.tsx';
import { recordsOf } from '../audit/queries.ts';
import type { AuditRecord } from '../audit/shapes.ts';
import { Fault } from '../parts/fault.tsx';
import type { Place } from '../session/session.ts';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { isOfRow, logOfTenant, TOGETHER, versionIn } from './row-records.ts';
import { textOf } from './value.ts';

interface RecordsProps {
  readonly place: Place;
  readonly entity: string;
  readonly id: string;
}

export function Records({ place, entity, id }: RecordsProps) {
  const { row: words } = useWords();
  const [isTogether, setTogether] = useState(false);
  const log = logOfTenant(place.key);
  const search = isTogether ? { action: TOGETHER } : { target: id, action: `data.${entity}.*` };
  const fits = { name: `${entity} ${id}`, is: (record: AuditRecord) => isOfRow(record, entity, id) };
  const found = useInfiniteQuery({ ...recordsOf(log, search, place, fits), staleTime: 0 });
  if (isSkepError(found.error) && [403, 404].includes(found.error.status ?? 0))
    return <Text c="dimmed">{found.error.status === 403 ? words.notAllowed : words.noLog}</Text>;
  return (
    <Stack gap="xs" className="records">
      <Text size="sm" c="dimmed">
        {words.recordsHow}
      </Text>
      <Checkbox
        size="xs"
        label={words.together}
        description={words.togetherHow}
        checked={isTogether}
        onChange={({ currentTarget }) => setTogether(currentTarget.checked)}
      />
      {found.error !== null && <Fault error={found.error} again={() => void found.refetch()} />}
      {found.data !== undefined && (
        <>
          <Found
            key={search.action}
            log={log}
            records={found.data.pages.flatMap(({ records }) => records)}
            of={{ entity, id }}
          />
          <Further
            from={found.data.pages.at(-1)?.from ?? 0}
            isPending={found.isFetchingNextPage}
            more={() => void found.fetchNextPage()}
          />
        </>
      )}
    </Stack>
  );
}

interface FurtherProps {
  /** The oldest record that was read. */
  readonly from: number;
  readonly isPending: boolean;
  readonly more: () => void;
}

function Further({ from, isPending, more }: FurtherProps) {
  const { row: words } = useWords();
  const { count } = useFigures();
  if (from === 0) return null;
  return (
    <Group gap="xs">
      <Button size="xs" variant="default" loading={isPending} onClick={more}>
        {words.older}
      </Button>
      <Text size="sm" c="dimmed">
        {words.readTo} {count(from)}
      </Text>
    </Group>
  );
}

interface FoundProps {
  readonly log: string;
  readonly records: readonly AuditRecord[];
  readonly of: { readonly entity: string; readonly id: string };
}

function Found({ log, records, of }: FoundProps) {
  const { row: words, audit } = useWords();
  const { count } = useFigures();
  const [seq, setSeq] = useState<number | null>(null);
  return (
    <>
      {records.length === 0 && <Text c="dimmed">{words.noRecords}</Text>}
      <ol className="versions" aria-label={words.records}>
        {records.map((record) => (
          <li key={record.id}>
            <Line record={record} of={of} isShown={record.seq === seq} show={setSeq} />
            {record.seq === seq && (
              <section aria-label={`${audit.record} ${count(seq)}`}>
                <Title order={2} fz="md" mt="xs">
                  {audit.record} {count(seq)}
                </Title>
                <ProofPanel log={log} record={record} />
              </section>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}

interface LineProps {
  readonly record: AuditRecord;
  readonly of: FoundProps['of'];
  readonly isShown: boolean;
  readonly show: (seq: number | null) => void;
}

function Line({ record, of, isShown, show }: LineProps) {
  const { row: words, audit } = useWords();
  const { moment } = useFigures();
  const { seq, ts, action, outcome, actor } = record;
  const version = textOf(versionIn(record, of.entity, of.id));
  return (
    <>
      <Group gap="xs" justify="space-between">
        <Anchor
          component="button"
          type="button"
          size="sm"
          c="var(--mantine-color-text)"
          underline="always"
          aria-expanded={isShown}
          onClick={() => show(isShown ? null : seq)}
        >
          {moment(ts)}
        </Anchor>
        <Outcome of={outcome} />
      </Group>
      <Text size="sm">
        {action}
        {version !== '' && ` · ${words.version} ${version}`}
      </Text>
      <Text size="sm" c="dimmed" className="mono wraps">
        {audit.actor}: {actor}
      </Text>
    </>
  );
}
