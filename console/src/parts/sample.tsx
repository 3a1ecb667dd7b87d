/** Lines that a reader takes elsewhere, with a button that copies them. */
import { Button, Code, CopyButton, Group, Text } from '@mantine/core';
import { IconCopy } from '@tabler/icons-react';
import { useWords } from '../words/words.tsx';

interface SampleProps {
  readonly label: string;
  readonly text: string;
  /** Whether it is one line, which is broken where it does not fit. */
  readonly isLine?: boolean;
}

export function Sample({ label, text, isLine = false }: SampleProps) {
  const words = useWords();
  return (
    <>
      <Group justify="space-between" wrap="nowrap" mt="xs">
        <Text size="sm" c="dimmed" className="mono">
          {label}
        </Text>
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              size="compact-xs"
              flex="none"
              leftSection={<IconCopy size={14} aria-hidden />}
              aria-label={`${copied ? words.copied : words.copy}: ${label}`}
              onClick={copy}
            >
              {copied ? words.copied : words.copy}
            </Button>
          )}
        </CopyButton>
      </Group>
      <Code block mt={4} tabIndex={0} role="region" aria-label={label} className={isLine ? 'sample said' : 'sample'}>
        {text}
      </Code>
    </>
  );
}
