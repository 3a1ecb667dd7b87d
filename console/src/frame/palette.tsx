/** The palette: Control or Command and K, a few letters, Enter. Everything in it has an address or a button elsewhere, too. */
import { ActionIcon, Combobox, Group, Kbd, Modal, Text, TextInput, UnstyledButton, useCombobox } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Place } from '../session/session.ts';
import { useWords } from '../words/words.tsx';
import { matching } from './match.ts';
import { searchFor, usePaletteItems } from './palette-items.ts';
import type { PaletteItem } from './palette-items.ts';

const KEYS = /Mac|iP(?:hone|ad)/.test(navigator.platform) ? '⌘K' : 'Ctrl K';

export function Palette({ place }: { readonly place: Place }) {
  const { palette } = useWords();
  const [isOpen, { open, close }] = useDisclosure(false);
  useHotkeys([['mod+K', open]], [], true);
  return (
    <>
      <UnstyledButton className="palette-button" onClick={open} visibleFrom="sm">
        <Group gap="xs" wrap="nowrap">
          <IconSearch size={16} aria-hidden />
          <Text size="sm">{palette.open}</Text>
          <Kbd size="xs" aria-hidden>
            {KEYS}
          </Kbd>
        </Group>
      </UnstyledButton>
      <ActionIcon variant="subtle" color="gray" aria-label={palette.open} onClick={open} hiddenFrom="sm">
        <IconSearch size={18} />
      </ActionIcon>
      <Modal.Root opened={isOpen} onClose={close} size="lg" yOffset="10vh" lockScroll={false}>
        <Modal.Overlay />
        <Modal.Content aria-label={palette.title}>
          <Modal.Body>
            <Choices place={place} onDone={close} />
          </Modal.Body>
        </Modal.Content>
      </Modal.Root>
    </>
  );
}

function Choices({ place, onDone }: { readonly place: Place; readonly onDone: () => void }) {
  const words = useWords();
  const { palette } = words;
  const router = useRouter();
  const [text, setText] = useState('');
  const combobox = useCombobox({ opened: true });
  const { selectFirstOption } = combobox;
  const items = usePaletteItems(place, true);
  const go = (path: string): void => router.history.push(`${router.basepath}${path}`);
  const found = [...matching(items, text), ...searchFor(place, text.trim(), words, go)];
  useEffect(() => void selectFirstOption(), [text, items.length, selectFirstOption]);
  const choose = (id: string): void => {
    onDone();
    found.find((item) => item.id === id)?.run();
  };
  return (
    <Combobox store={combobox} onOptionSubmit={choose}>
      <Combobox.EventsTarget withExpandedAttribute>
        <TextInput
          data-autofocus
          role="combobox"
          aria-label={palette.title}
          placeholder={palette.hint}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          // The combobox keeps this key to itself.
          onKeyDown={({ key }) => key === 'Escape' && onDone()}
          leftSection={<IconSearch size={16} aria-hidden />}
        />
      </Combobox.EventsTarget>
      <Combobox.Options className="palette-options" mt="sm" aria-label={palette.title}>
        {found.map((item) => (
          <Choice key={item.id} item={item} />
        ))}
        {found.length === 0 && <Combobox.Empty>{palette.nothing}</Combobox.Empty>}
      </Combobox.Options>
    </Combobox>
  );
}

function Choice({ item: { id, name, kind } }: { readonly item: PaletteItem }) {
  return (
    <Combobox.Option value={id}>
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" className="said">
          {name}
        </Text>
        <Text size="xs" c="dimmed">
          {kind}
        </Text>
      </Group>
    </Combobox.Option>
  );
}
