/** What a log is, in a line each. */
import { SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { Fingerprint } from './fingerprint.tsx';
import type { Log, Peers } from './shapes.ts';

export function LogFacts({ log }: { readonly log: Log }) {
  const { audit } = useWords();
  const { count, moment } = useFigures();
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing={4} mb="xs">
      <Fact name={audit.size}>
        {count(log.size)} ({audit.durability[log.durability]}
        {log.lost > 0 && `; ${audit.lost}: ${count(log.lost)}`})
      </Fact>
      <Fact name={audit.newestAt}>{log.newest_at === null ? '–' : moment(log.newest_at)}</Fact>
      <Fact name={audit.root}>
        <span className="mono">{log.root === '' ? audit.noCheckpoint : log.root}</span>
      </Fact>
      <Fact name={audit.origin}>
        <span className="mono">{log.origin}</span>
      </Fact>
      <Fact name={audit.fingerprint}>
        <Fingerprint of={log.verifier_key} />
      </Fact>
      <Fact name={audit.copies}>
        <Standing of={log.copies} none={audit.noCopies} />
      </Fact>
      <Fact name={audit.witnesses}>
        <Standing of={log.witnesses} none={audit.noWitness} />
      </Fact>
      <Fact name={audit.scrub}>
        <Scrub of={log.scrub} />
      </Fact>
    </SimpleGrid>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <Text size="sm" component="div">
      <Text span size="sm" c="dimmed">
        {name}:{' '}
      </Text>
      {children}
    </Text>
  );
}

/** How many there are, and how long ago the one furthest behind had everything. */
function Standing({
  of: { count: many, behind_seconds: seconds },
  none,
}: {
  readonly of: Peers;
  readonly none: string;
}) {
  const { audit } = useWords();
  const { count, span } = useFigures();
  if (many === 0) return none;
  return `${count(many)}; ${seconds === null ? audit.notLooked : audit.behindBy(span(coarse(seconds)))}`;
}

/** Two minutes and more in whole minutes, two hours and more in whole hours, two days and more in whole days. */
const coarse = (seconds: number): number => {
  const unit = [86_400, 3600, 60].find((one) => seconds >= 2 * one) ?? 1;
  return Math.round(seconds / unit) * unit;
};

function Scrub({ of: scrub }: { readonly of: Log['scrub'] }) {
  const { audit } = useWords();
  const { count, moment } = useFigures();
  if (scrub === null) return audit.noScrub;
  const round = scrub.round_ended_at === null ? audit.noRound : audit.roundEnded(moment(scrub.round_ended_at));
  if (scrub.faults === null) return `${round}; ${audit.notLooked}`;
  return `${round}; ${scrub.faults === 0 ? audit.noFault : audit.faulty(count(scrub.faults))}`;
}
