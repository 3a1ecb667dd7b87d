/** The log itself: how long it is, under which root and key, who else has signed it, and what is amiss. */
import { Alert, Button, Code, Group, List, SimpleGrid, Text } from '@mantine/core';
import { isSkepError } from '@skep/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { health } from '../operations/queries.ts';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { usePlace } from '../session/gate.tsx';
import { plane } from '../session/session.ts';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { cosignedBy } from './cosigned.ts';
import type { Cosigned } from './cosigned.ts';
import { Fingerprint } from './fingerprint.tsx';
import { askCosigned, logOf } from './queries.ts';
import type { Log } from './shapes.ts';

export function LogPanel({ log }: { readonly log: string }) {
  const { audit } = useWords();
  const place = usePlace();
  const { data, error, refetch } = useQuery(logOf(log, place));
  const { data: node } = useQuery({ ...health, refetchInterval: false, enabled: place === plane });
  const amiss = node?.degraded.filter(({ scope, name }) => scope === 'log' && name === log) ?? [];
  return (
    <Panel title={audit.theLog}>
      {error !== null && <Fault error={error} again={() => void refetch()} />}
      {data !== undefined && (
        <>
          {data.refused !== null && (
            <Alert color="red" variant="outline" role="alert" mb="xs">
              <Text c="var(--mantine-color-text)">{data.refused}</Text>
            </Alert>
          )}
          {amiss.length > 0 && (
            <List size="sm" mb="xs">
              {amiss.map(({ reason }) => (
                <List.Item key={reason}>{reason}</List.Item>
              ))}
            </List>
          )}
          <Facts log={data} />
          <Witness key={log} log={log} size={data.size} />
          <details>
            <summary>{audit.elsewhere}</summary>
            <Text size="sm" mt="xs">
              {audit.elsewhereWhy}
            </Text>
            <Code block mt={4} className="mono">
              {`skep audit verify .skep/audit/logs/${log} --key '${data.verifier_key}'\nskep audit query .skep/audit/logs/${log} --from 0 --limit 1000 -o jsonl`}
            </Code>
          </details>
        </>
      )}
    </Panel>
  );
}

function Facts({ log }: { readonly log: Log }) {
  const { audit } = useWords();
  const { count } = useFigures();
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing={4} mb="xs">
      <Fact name={audit.size}>
        {count(log.size)} ({audit.durability[log.durability]}
        {log.lost > 0 && `; ${audit.lost}: ${count(log.lost)}`})
      </Fact>
      <Fact name={audit.root}>
        <span className="mono">{log.root === '' ? audit.noCheckpoint : log.root}</span>
      </Fact>
      <Fact name={audit.origin}>
        <span className="mono">{log.origin}</span>
      </Fact>
      <Fact name={audit.fingerprint}>
        <Fingerprint of={log.verifier_key} />
      </Fact>
    </SimpleGrid>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <Text size="sm" component="div">
      <Text span size="sm" c="dimmed">
        {name}:{' '}
      </Text>
      {children}
    </Text>
  );
}

/** Asked for on purpose: most logs have no witness, and the answer is a 404 then. */
function Witness({ log, size }: { readonly log: string; readonly size: number }) {
  const place = usePlace();
  const { audit } = useWords();
  const { count, moment } = useFigures();
  const [seen, setSeen] = useState<Cosigned | 'none' | Error | null>(null);
  const look = async (): Promise<void> => {
    try {
      setSeen(cosignedBy(await askCosigned(place, log)) ?? 'none');
    } catch (error) {
      setSeen(isSkepError(error, 'audit.not_found') ? 'none' : (error as Error));
    }
  };
  if (seen instanceof Error) return <Fault error={seen} again={() => void look()} />;
  return (
    <Group gap="xs" mb="xs">
      {seen === null && (
        <Button size="xs" variant="default" onClick={() => void look()}>
          {audit.lookForWitness}
        </Button>
      )}
      {seen === 'none' && <Text size="sm">{audit.noWitness}</Text>}
      {seen !== null && seen !== 'none' && (
        <Text size="sm">
          {audit.witness}: {seen.by.map(({ name, at }) => `${name} (${moment(at)})`).join(', ')}; {audit.size}{' '}
          {count(seen.size)}, {audit.behind} {count(Math.max(0, size - seen.size))}. {audit.witnessUnchecked}
        </Text>
      )}
    </Group>
  );
}
