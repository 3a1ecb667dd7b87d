/** An act that is done once its reader has typed whom it concerns. */
import { Button, Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { useWords } from '../words/words.tsx';
import { isTyped } from './names.ts';

/** Mantine’s sheet would close at the key that leaves the form alone. */
const STAYS = { 'data-mantine-stop-propagation': 'true' };

interface NamedActProps {
  readonly act: string;
  /** What it does, in a sentence that the name follows. */
  readonly how: string;
  /** What is typed. */
  readonly name: string;
  readonly isPending: boolean;
  readonly run: () => void;
  readonly cancel: () => void;
}

export function NamedAct({ act, how, name, isPending, run, cancel }: NamedActProps) {
  const { people: words } = useWords();
  const [typed, setTyped] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isTyped(typed, name)) run();
  };
  return (
    <form
      onSubmit={submit}
      aria-label={act}
      onKeyDown={(event) => {
        if (event.key === 'Escape') cancel();
      }}
    >
      <Text size="sm" maw="72ch" mt="xs">
        {how} <b className="mono">{name}</b>
      </Text>
      <TextInput
        mt={4}
        maw={420}
        aria-label={words.typed}
        value={typed}
        autoFocus
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...STAYS}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <Group gap="xs" mt="xs">
        <Button type="submit" size="xs" color="red.9" {...STAYS} disabled={!isTyped(typed, name)} loading={isPending}>
          {act}
        </Button>
        <Button size="xs" variant="default" onClick={cancel} {...STAYS}>
          {words.cancel}
        </Button>
      </Group>
    </form>
  );
}
