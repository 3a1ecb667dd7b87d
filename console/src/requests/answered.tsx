/** How a request was answered: its status, its time, its id, its headers, and the body as JSON. */
import { Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { TonedBadge } from '../parts/toned-badge.tsx';
import { Editor } from '../scratch/editor.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import type { Answered } from './queries.ts';
import './requests.css';

const GOOD = { icon: IconCircleCheck, color: 'teal' } as const;
const BAD = { icon: IconAlertTriangle, color: 'red' } as const;

interface AnsweredPanelProps {
  /** Undefined before the first answer. */
  readonly answer: Answered | undefined;
  /** No answer came. */
  readonly error: Error | null;
  readonly again: () => void;
}

export function AnsweredPanel({ answer, error, again }: AnsweredPanelProps) {
  const { requests: words } = useWords();
  const { count } = useFigures();
  return (
    <Panel title={words.answer}>
      {error !== null && <Fault error={error} again={again} />}
      {answer === undefined && error === null && <Text c="dimmed">{words.noAnswer}</Text>}
      {answer !== undefined && (
        <Stack gap="xs">
          <Group gap="sm" role="status">
            <TonedBadge look={answer.status < 400 ? GOOD : BAD} state={String(answer.status)}>
              {answer.status}
            </TonedBadge>
            <Text size="sm">{count(answer.ms)} ms</Text>
            {answer.requestId !== null && (
              <Text size="sm" c="dimmed" className="mono said">
                {words.requestId} {answer.requestId}
              </Text>
            )}
          </Group>
          {answer.error !== null && (
            <Text size="sm" role="alert" className="said">
              {answer.error.message}
            </Text>
          )}
          <Editor label={words.answer} language="json" value={JSON.stringify(answer.body, null, 2)} />
          {answer.headers.length > 0 && (
            <details>
              <summary>
                {words.headers} ({answer.headers.length})
              </summary>
              <pre className="mono headers" tabIndex={0} role="region" aria-label={words.headers}>
                {answer.headers.map(([name, value]) => `${name}: ${value}`).join('\n')}
              </pre>
            </details>
          )}
        </Stack>
      )}
    </Panel>
  );
}
