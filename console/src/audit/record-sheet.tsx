/** One record, with its proof; it has an address of its own. */
import { Code, Group, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fault } from '../parts/fault.tsx';
import { Sheet } from '../parts/sheet.tsx';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { Outcome } from './outcome.tsx';
import { ProofPanel } from './proof-panel.tsx';
import { recordOf } from './queries.ts';
import type { AuditRecord, RecordsPage } from './shapes.ts';

interface RecordSheetProps {
  readonly log: string;
  readonly seq: number;
  readonly close: () => void;
}

export function RecordSheet({ log, seq, close }: RecordSheetProps) {
  const { audit } = useWords();
  const { data, error, refetch } = useQuery(recordOf(log, seq, usePlace()));
  return (
    <Sheet title={`${audit.record} ${seq}`} close={close}>
      {error !== null && <Fault error={error} again={() => void refetch()} />}
      {data?.record === null && <Text>{audit.notThere}</Text>}
      {data !== undefined && data.record !== null && (
        <Stack gap="md">
          <Members record={data.record} personal={data.personal} />
          <ProofPanel log={log} record={data.record} />
        </Stack>
      )}
    </Sheet>
  );
}

function Members({ record, personal }: { readonly record: AuditRecord; readonly personal: RecordsPage['personal'] }) {
  const { audit } = useWords();
  const { moment } = useFigures();
  const { action, outcome, actor, target, tenant, source, source_seq, request_id, id, ts, data } = record;
  const person = record.personal_sha256 === undefined ? undefined : (personal[record.personal_sha256] ?? null);
  const rows: readonly (readonly [string, string])[] = [
    [audit.at, moment(ts)],
    [audit.actor, actor],
    [audit.target, target],
    [audit.tenant, tenant],
    [audit.source, `${source} ${source_seq}`],
    [audit.requestId, request_id],
    ['id', id],
    ...(person === undefined
      ? []
      : ([[audit.person, person === null ? audit.erased : Object.values(person).join(' · ')]] as const)),
  ];
  return (
    <>
      <Group gap="md">
        <Text fw={600}>{action}</Text>
        <Outcome of={outcome} />
      </Group>
      <Table fz="sm" verticalSpacing={4} horizontalSpacing="xs" variant="vertical" layout="auto">
        <Table.Tbody>
          {rows
            .filter(([, value]) => value !== '')
            .map(([name, value]) => (
              <Table.Tr key={name}>
                <Table.Th>{name}</Table.Th>
                <Table.Td className="mono wraps">{value}</Table.Td>
              </Table.Tr>
            ))}
        </Table.Tbody>
      </Table>
      {data !== undefined && Object.keys(data).length > 0 && (
        <Code block tabIndex={0} aria-label={audit.data}>
          {JSON.stringify(data, null, 2)}
        </Code>
      )}
    </>
  );
}
