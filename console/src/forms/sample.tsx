/** Lines that a reader takes elsewhere, with a button that copies them. */
import { Button, Code, CopyButton, Group, Text } from '@mantine/core';
import { IconCopy } from '@tabler/icons-react';
import { useWords } from '../words/words.tsx';

export function Sample({ label, text }: { readonly label: string; readonly text: string }) {
  const { forms: words } = useWords();
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
              leftSection={<IconCopy size={14} aria-hidden />}
              aria-label={`${copied ? words.copied : words.copy}: ${label}`}
              onClick={copy}
            >
              {copied ? words.copied : words.copy}
            </Button>
          )}
        </CopyButton>
      </Group>
      <Code block mt={4} tabIndex={0} role="region" aria-label={label} className="sample">
        {text}
      </Code>
    </>
  );
}
