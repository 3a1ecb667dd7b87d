/** One lock beside the list, and its end behind its typed resource. */
import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { AskedAct } from '../parts/asked-act.tsx';
import { Facts } from '../parts/facts.tsx';
import { Sheet } from '../parts/sheet.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { Denied } from './denied.tsx';
import { useUpkeep } from './port.ts';
import { release } from './queries.ts';
import type { Lock } from './shapes.ts';

interface LockSheetProps {
  readonly resource: string;
  /** Undefined where nothing holds it any more. */
  readonly of: Lock | undefined;
  readonly close: () => void;
  readonly onReleased: () => void;
}

export function LockSheet({ resource, of: lock, close, onReleased }: LockSheetProps) {
  const { upkeep: words, typed } = useWords();
  const { moment } = useFigures();
  const port = useUpkeep();
  const end = useMutation({ mutationFn: () => release(port, resource), onSuccess: onReleased });
  return (
    <Sheet title={resource} close={close}>
      {lock === undefined ? (
        <Text maw="72ch">{words.free}</Text>
      ) : (
        <>
          <Facts
            of={[
              [words.work, lock.op_kind],
              [words.holder, lock.holder_id],
              [words.machine, lock.hostname],
              [words.since, moment(lock.acquired_at)],
              [words.until, moment(lock.expires_at)],
            ]}
          />
          <Text size="sm" maw="72ch" mt="sm">
            {words.releaseHow}
          </Text>
          {end.error !== null && <Denied error={end.error} again={() => end.mutate()} />}
          <AskedAct
            act={words.release}
            how={words.asks}
            name={resource}
            label={typed}
            isTyped={(text) => text.trim() === resource}
            isPending={end.isPending}
            run={() => end.mutateAsync()}
            reset={end.reset}
          />
        </>
      )}
    </Sheet>
  );
}
