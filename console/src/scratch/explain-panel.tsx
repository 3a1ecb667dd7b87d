/** What the rules say to a person about a list: the line for the people who run the node (docs/contract/data-admin.md §10). About a row administrators ask at its sheet. */
import { Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Panel } from '../parts/panel.tsx';
import { Sample } from '../parts/sample.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { explainLine } from './explain-line.ts';

interface ExplainPanelProps {
  readonly entity: string;
  readonly id: string;
  readonly parameters: string;
}

export function ExplainPanel(about: ExplainPanelProps) {
  const { scratch: words } = useWords();
  const { key } = usePlace();
  const [person, setPerson] = useState('');
  const [reason, setReason] = useState('');
  return (
    <Panel title={words.explain}>
      <Text size="sm" maw="72ch" mb="xs">
        {words.explainHow}
      </Text>
      <Group gap="sm" align="flex-end">
        <TextInput
          label={words.person}
          placeholder="eve@example.org"
          value={person}
          autoComplete="off"
          onChange={({ currentTarget }) => setPerson(currentTarget.value)}
        />
        <TextInput
          label={words.reason}
          value={reason}
          autoComplete="off"
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
      </Group>
      {person.trim() !== '' && reason.trim() !== '' && (
        <Sample
          label={words.shell}
          text={explainLine({ key, ...about, person: person.trim(), reason: reason.trim() })}
          isLine
        />
      )}
    </Panel>
  );
}
