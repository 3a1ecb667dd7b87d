/** The verdict, by icon, word and colour; what is wrong below it. */
import { Group, List, Paper, Text, ThemeIcon } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconX } from '@tabler/icons-react';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import type { Health } from '../node/answers.ts';
import { verdictOf } from './verdict.ts';

const SIGNS = {
  well: { icon: IconCheck, colour: 'green.8' },
  less: { icon: IconAlertTriangle, colour: 'honey.7' },
  down: { icon: IconX, colour: 'red.8' },
} as const;

export function VerdictLine({ health }: { readonly health: Health }) {
  const words = useWords();
  const { moment } = useFigures();
  const { kind, reasons } = verdictOf(health, words);
  const { icon: Icon, colour } = SIGNS[kind];
  const { operations } = words;
  return (
    <Paper withBorder p="sm" mb="md" role="status">
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <ThemeIcon color={colour} radius="xl" size={28}>
          <Icon size={18} aria-hidden />
        </ThemeIcon>
        <div>
          <Text fw={600} id="verdict" data-kind={kind}>
            {operations[kind]}
          </Text>
          {reasons.length === 0 && <Text c="dimmed">{operations.wellWhy}</Text>}
          <List size="sm">
            {reasons.map(({ key, text, since }) => (
              <List.Item key={key}>
                {text}
                {since !== null && ` (${operations.since} ${moment(since)})`}
              </List.Item>
            ))}
          </List>
          <Text c="dimmed" size="sm">
            Skep {operations.version} {health.version}, {operations.started} {moment(health.started_at)}
          </Text>
        </div>
      </Group>
    </Paper>
  );
}
