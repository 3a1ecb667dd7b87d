/** One seed beside the list: tried first, which writes nothing, then run. */
import { Alert, Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Facts } from '../parts/facts.tsx';
import { Sheet } from '../parts/sheet.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { Denied } from './denied.tsx';
import { useUpkeep } from './port.ts';
import { runSeed } from './queries.ts';
import type { Seed, SeedRun } from './shapes.ts';

interface SeedSheetProps {
  readonly name: string;
  /** Undefined where the product has none of this name. */
  readonly of: Seed | undefined;
  readonly close: () => void;
  readonly onRun: () => void;
}

export function SeedSheet({ name, of: seed, close, onRun }: SeedSheetProps) {
  const { upkeep: words } = useWords();
  const { moment } = useFigures();
  const port = useUpkeep();
  const run = useMutation({
    mutationFn: (isDry: boolean) => runSeed(port, name, isDry),
    onSuccess: (_run, isDry) => {
      if (!isDry) onRun();
    },
  });
  return (
    <Sheet title={name} close={close}>
      {seed === undefined ? (
        <Text maw="72ch">{words.unknownSeed}</Text>
      ) : (
        <>
          <Facts
            of={[
              [words.entity, seed.entity],
              [words.source, seed.source],
              [words.strategy, seed.strategy],
              [words.state, words.statusOf(seed.status)],
              [words.applied, seed.applied_at === undefined ? words.never : moment(seed.applied_at)],
              ...(seed.error === undefined ? [] : [[words.fault, seed.error] as const]),
            ]}
          />
          <Text size="sm" maw="72ch" mt="sm">
            {words.seedHow}
          </Text>
          {run.error !== null && (
            <Denied error={run.error} again={() => run.variables !== undefined && run.mutate(run.variables)} />
          )}
          {run.data !== undefined && <Outcomes of={run.data} />}
          <Group gap="xs" mt="xs">
            <Button size="xs" variant="default" loading={run.isPending} onClick={() => run.mutate(true)}>
              {words.tryIt}
            </Button>
            <Button size="xs" disabled={run.isPending} onClick={() => run.mutate(false)}>
              {words.runIt}
            </Button>
          </Group>
        </>
      )}
    </Sheet>
  );
}

function Outcomes({ of: { dry_run: isDry, outcomes } }: { readonly of: SeedRun }) {
  const { upkeep: words } = useWords();
  const { count } = useFigures();
  const failed = outcomes.some(({ Status }) => Status === 'failed');
  return (
    <Alert color={failed ? 'red' : 'green'} variant="outline" role="status" mt="xs">
      {outcomes.length === 0 && <Text c="var(--mantine-color-text)">{words.nothingRun}</Text>}
      {outcomes.map(({ Name, Status, Reason, Rows }) => (
        <Text key={Name} c="var(--mantine-color-text)" className="said">
          {isDry && Status === 'applied'
            ? words.wouldWrite(count(Rows))
            : words.wrote(words.statusOf(Status), count(Rows))}
          {Reason !== '' && ` ${Reason}`}
        </Text>
      ))}
    </Alert>
  );
}
