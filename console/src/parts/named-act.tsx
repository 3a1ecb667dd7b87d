/** An act that is done once its reader has typed what it concerns. */
import { Button, Group, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { useWords } from '../words/words.tsx';

/** Mantine’s sheet would close at the key that leaves the form alone. */
const STAYS = { 'data-mantine-stop-propagation': 'true' };

interface NamedActProps {
  readonly act: string;
  /** What it does, in a sentence that the name follows. */
  readonly how: string;
  /** What is typed. */
  readonly name: string;
  /** What the field is called for those who hear the page. */
  readonly label: string;
  /** Whether what was typed is the name. */
  readonly isTyped: (typed: string) => boolean;
  readonly run: () => void;
  /** Absent where the form stands by itself: then nothing leads back, and the keyboard is not drawn to it. */
  readonly cancel?: () => void;
  readonly isPending?: boolean;
  /** Whether it takes or loses something. */
  readonly isHarmful?: boolean;
}

export function NamedAct({ act, how, name, label, isTyped, run, cancel, ...state }: NamedActProps) {
  const { isPending = false, isHarmful = true } = state;
  const words = useWords();
  const [typed, setTyped] = useState('');
  const isReady = isTyped(typed);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isReady) run();
  };
  return (
    <form
      onSubmit={submit}
      aria-label={act}
      className="named-act"
      data-harmful={isHarmful}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || cancel === undefined) return;
        // What is around the form stays open.
        event.stopPropagation();
        cancel();
      }}
    >
      <Text size="sm" maw="72ch" mt="xs">
        {how} <b className="mono">{name}</b>
      </Text>
      <TextInput
        mt={4}
        maw={420}
        aria-label={label}
        value={typed}
        autoFocus={cancel !== undefined}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...STAYS}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <Group gap="xs" mt="xs">
        <Button
          type="submit"
          size="xs"
          {...(isHarmful && { color: 'red.9' })}
          {...STAYS}
          disabled={!isReady}
          loading={isPending}
        >
          {act}
        </Button>
        {cancel !== undefined && (
          <Button size="xs" variant="default" onClick={cancel} {...STAYS}>
            {words.cancel}
          </Button>
        )}
      </Group>
    </form>
  );
}
