/** Which rows can be scrolled to where there are more than a browser shows in one list, and the way to the others. */
import { ActionIcon, Group, Text } from '@mantine/core';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { STRETCH_ROWS, type Stretch } from './stretch.ts';

interface StretchBarProps {
  readonly stretch: Stretch;
  readonly total: number;
  /** Goes to this row. */
  readonly onGo: (row: number) => void;
}

export function StretchBar({ stretch: { first, length }, total, onGo }: StretchBarProps) {
  const { grid: words } = useWords();
  const { count } = useFigures();
  if (total <= STRETCH_ROWS) return null;
  return (
    <Group gap={6} mb={4} role="group" aria-label={words.stretch}>
      <Text size="sm" c="dimmed" role="status">
        {words.stretchSo(count(first + 1), count(first + length), count(total))}
      </Text>
      <ActionIcon
        variant="default"
        size="sm"
        aria-label={words.earlierRows}
        disabled={first === 0}
        onClick={() => onGo(first - STRETCH_ROWS)}
      >
        <IconChevronUp size={14} />
      </ActionIcon>
      <ActionIcon
        variant="default"
        size="sm"
        aria-label={words.laterRows}
        disabled={first + length >= total}
        onClick={() => onGo(first + STRETCH_ROWS)}
      >
        <IconChevronDown size={14} />
      </ActionIcon>
    </Group>
  );
}
