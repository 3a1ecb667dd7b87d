/** Lines that a reader takes elsewhere, with a button that copies them. */
import { Button, Code, CopyButton } from '@mantine/core';
import { IconCopy } from '@tabler/icons-react';
import { useWords } from '../words/words.tsx';

export function Sample({ label, text }: { readonly label: string; readonly text: string }) {
  const { forms: words } = useWords();
  return (
    <div className="sample">
      <Code block mt={4} tabIndex={0} role="region" aria-label={label}>
        {text}
      </Code>
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
    </div>
  );
}
