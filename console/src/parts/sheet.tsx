/** Details of one thing at the side of the page, over it. What is open has an address of its own. */
import { CloseButton, Drawer, Group, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useWords } from '../words/words.tsx';
import './sheet.css';

interface SheetProps {
  readonly title: string;
  readonly close: () => void;
  readonly children: ReactNode;
}

export function Sheet({ title, close, children }: SheetProps) {
  const words = useWords();
  return (
    // Its own head: Mantine's is a second banner of the page. Its lock of the page's scrolling writes a style without a nonce.
    <Drawer.Root opened onClose={close} position="right" size="lg" lockScroll={false}>
      <Drawer.Overlay />
      <Drawer.Content aria-label={title}>
        <Drawer.Body pt="md">
          <Group justify="space-between" wrap="nowrap" align="flex-start" mb="sm">
            <Title order={2} className="sheet-title" data-autofocus tabIndex={-1}>
              {title}
            </Title>
            <CloseButton aria-label={words.close} onClick={close} />
          </Group>
          {children}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}
