/** A button that asks for the name before it acts; the keyboard comes back to it. */
import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { NamedAct } from './named-act.tsx';

interface AskedActProps {
  readonly act: string;
  readonly how: string;
  readonly name: string;
  readonly label: string;
  readonly isTyped: (typed: string) => boolean;
  readonly isPending: boolean;
  readonly run: () => Promise<unknown>;
  /** Forgets a refusal. */
  readonly reset: () => void;
  /** Whether the keyboard is here when the button appears. */
  readonly isNext?: boolean;
}

export function AskedAct({ run, reset, isNext = false, ...named }: AskedActProps) {
  /** Null until it was asked for once. */
  const [asks, setAsks] = useState<boolean | null>(null);
  const end = (): void => setAsks(false);
  const cancel = (): void => {
    reset();
    end();
  };
  if (asks === true)
    // A refusal leaves the form as it is; the section shows it.
    return <NamedAct {...named} run={() => void run().then(end, () => undefined)} cancel={cancel} />;
  return (
    <Group mt="xs">
      <Button size="xs" variant="default" autoFocus={isNext || asks === false} onClick={() => setAsks(true)}>
        {named.act} …
      </Button>
    </Group>
  );
}
