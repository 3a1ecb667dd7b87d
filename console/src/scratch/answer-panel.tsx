/** What a GraphQL document was answered: what is wrong with it, and the whole answer as JSON. */
import { Alert, List, Stack, Text } from '@mantine/core';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { useWords } from '../words/words.tsx';
import { Editor } from './editor.tsx';
import type { GraphqlAnswer, GraphqlFault } from './queries.ts';

interface AnswerPanelProps {
  /** Undefined before the first answer. */
  readonly answer: GraphqlAnswer | undefined;
  readonly error: Error | null;
  readonly again: () => void;
}

export function AnswerPanel({ answer, error, again }: AnswerPanelProps) {
  const { scratch: words } = useWords();
  return (
    <Panel title={words.answer}>
      {error !== null && <Fault error={error} again={again} />}
      {answer === undefined ? (
        error === null && <Text c="dimmed">{words.noAnswer}</Text>
      ) : (
        <Stack gap="xs">
          {answer.errors !== undefined && <Faults of={answer.errors} />}
          <Editor label={words.answer} language="json" value={JSON.stringify(answer, null, 2)} />
        </Stack>
      )}
    </Panel>
  );
}

function Faults({ of: faults }: { readonly of: readonly GraphqlFault[] }) {
  return (
    <Alert color="red" variant="outline" role="alert">
      <List size="sm" listStyleType="none">
        {faults.map(({ message, path, extensions }, at) => (
          <List.Item key={`${at} ${message}`} className="said">
            {message}
            <Text span c="dimmed" className="mono" fz="xs">
              {' '}
              {[path?.join('.'), extensions?.code].filter((one) => one !== undefined).join(' · ')}
            </Text>
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
