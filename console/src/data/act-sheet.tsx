/** The frame of what is done to several rows: it is left when nothing is under way, and Escape stops what is. */
import { ActionIcon, Group, Stack, Title } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useEffect, useRef, type ReactNode } from 'react';
import { useWords } from '../words/words.tsx';
import type { Acts } from './use-act.ts';

interface ActSheetProps {
  readonly title: string;
  readonly acts: Acts;
  readonly run: { readonly isRunning: boolean; readonly stop: () => void };
  readonly children: ReactNode;
}

export function ActSheet({ title, acts, run: { isRunning, stop }, children }: ActSheetProps) {
  const { close } = useWords();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    heading.current?.focus({ preventScroll: true });
    // The keyboard goes on where it came from.
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
  const { setBusy } = acts;
  useEffect(() => {
    setBusy(isRunning);
    return () => setBusy(false);
  }, [isRunning, setBusy]);
  return (
    <section
      className="sheet"
      aria-label={title}
      onKeyDown={({ key }) => {
        if (key === 'Escape') (isRunning ? stop : acts.close)();
      }}
    >
      <Group justify="space-between" wrap="nowrap" mb="xs">
        <Title order={1} size="h2" ref={heading} tabIndex={-1} className="sheet-title">
          {title}
        </Title>
        <ActionIcon variant="subtle" color="gray" aria-label={close} disabled={isRunning} onClick={acts.close}>
          <IconX size={18} />
        </ActionIcon>
      </Group>
      <Stack gap="sm">{children}</Stack>
    </section>
  );
}
