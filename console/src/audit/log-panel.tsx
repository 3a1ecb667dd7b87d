/** The log itself: how long it is, under which root and key, its copies, who else has signed it, and what is amiss. */
import { Alert, Code, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { health } from '../operations/queries.ts';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { usePlace } from '../session/gate.tsx';
import { plane } from '../session/session.ts';
import { useWords } from '../words/words.tsx';
import { LogFacts } from './log-facts.tsx';
import { logOf } from './queries.ts';
import { Witnesses } from './witnesses.tsx';

/** Whether what is degraded is the log, or a part of it that the scrubber names behind it. */
const isOf = (log: string, name: string): boolean => name === log || name.startsWith(`${log} `);

export function LogPanel({ log }: { readonly log: string }) {
  const { audit } = useWords();
  const place = usePlace();
  const { data, error, refetch } = useQuery(logOf(log, place));
  const { data: node } = useQuery({ ...health, refetchInterval: false, enabled: place === plane });
  const amiss = node?.degraded.filter(({ scope, name }) => scope === 'log' && isOf(log, name)) ?? [];
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
          <LogFacts log={data} />
          {data.witnesses.count > 0 && <Witnesses log={data} />}
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
