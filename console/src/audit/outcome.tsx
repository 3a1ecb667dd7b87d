/** How what a record tells ended, by word, sign and colour. */
import { Group } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';

/** What went as it was meant to. */
const WELL: ReadonlySet<string> = new Set(['ok', 'delivered', 'sent', 'kept', 'opened']);

export function Outcome({ of }: { readonly of: string }) {
  const Sign = WELL.has(of) ? IconCheck : IconX;
  return (
    <Group gap={4} wrap="nowrap" component="span">
      <Sign
        size={14}
        aria-hidden
        color={WELL.has(of) ? 'var(--mantine-color-green-7)' : 'var(--mantine-color-red-7)'}
      />
      {of}
    </Group>
  );
}
