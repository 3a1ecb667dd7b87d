/** The palette: Control or Command and K, a few letters, Enter. Everything in it has an address or a button elsewhere, too. */
import { ActionIcon, Combobox, Group, Kbd, Modal, Text, TextInput, UnstyledButton, useCombobox } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useId, useState, type KeyboardEvent } from 'react';
import type { Place } from '../session/session.ts';
import { useWords } from '../words/words.tsx';
import { matching } from './match.ts';
import { searchFor, usePaletteItems, type PaletteItem } from './palette-items.ts';

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

/** A combobox with a list, as the ARIA Authoring Practices Guide has it: the keyboard stays in the field, which names the option that is chosen. */
function Choices({ place, onDone }: { readonly place: Place; readonly onDone: () => void }) {
  const words = useWords();
  const { palette } = words;
  const router = useRouter();
  const list = useId();
  const combobox = useCombobox({ opened: true });
  const [text, setText] = useState('');
  const [wished, setChosen] = useState(0);
  const items = usePaletteItems(place, true);
  const go = (path: string): void => router.history.push(`${router.basepath}${path}`);
  const found = [...matching(items, text), ...searchFor(place, text.trim(), words, go)];
  // Entities that come later, and letters, change what is found.
  const chosen = Math.min(wished, found.length - 1);
  const idOf = (at: number): string => `${list}-${at}`;
  useEffect(() => {
    document.getElementById(`${list}-${chosen}`)?.scrollIntoView({ block: 'nearest' });
  }, [list, chosen]);
  const run = (item: PaletteItem | undefined): void => {
    if (item === undefined) return;
    onDone();
    item.run();
  };
  const press = (event: KeyboardEvent): void => {
    // Enter and arrows choose among the signs of an input method first.
    if (event.nativeEvent.isComposing) return;
    const next = nextOf(event.key, chosen, found.length);
    if (next !== null) setChosen(next);
    else if (event.key === 'Enter') run(found[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Combobox store={combobox} onOptionSubmit={(id) => run(found.find((item) => item.id === id))}>
      <Combobox.EventsTarget withKeyboardNavigation={false} withAriaAttributes={false}>
        <TextInput
          data-autofocus
          role="combobox"
          aria-label={palette.title}
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-expanded
          aria-controls={list}
          {...(chosen >= 0 && { 'aria-activedescendant': idOf(chosen) })}
          autoComplete="off"
          placeholder={palette.hint}
          value={text}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value);
            setChosen(0);
          }}
          onKeyDown={press}
          leftSection={<IconSearch size={16} aria-hidden />}
        />
      </Combobox.EventsTarget>
      <Combobox.Options id={list} className="palette-options" mt="sm" aria-label={palette.title}>
        {found.map((item, at) => (
          <Choice key={item.id} id={idOf(at)} item={item} isChosen={at === chosen} />
        ))}
        {found.length === 0 && <Combobox.Empty>{palette.nothing}</Combobox.Empty>}
      </Combobox.Options>
    </Combobox>
  );
}

/** The option that a key leads to, around the ends of the list; null for a key that leads to none. */
function nextOf(key: string, at: number, count: number): number | null {
  if (count === 0) return null;
  if (key === 'ArrowDown') return (at + 1) % count;
  if (key === 'ArrowUp') return (at + count - 1) % count;
  return null;
}

interface ChoiceProps {
  readonly id: string;
  readonly item: PaletteItem;
  readonly isChosen: boolean;
}

function Choice({ id, item: { id: value, name, kind }, isChosen }: ChoiceProps) {
  return (
    <Combobox.Option value={value} id={id} selected={isChosen} aria-selected={isChosen}>
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
