/** Which witnesses have signed the log, when, and how far behind they are. */
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fault } from '../parts/fault.tsx';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { cosignedOf } from './queries.ts';
import type { Log } from './shapes.ts';

export function Witnesses({ log }: { readonly log: Log }) {
  const { audit } = useWords();
  const place = usePlace();
  const { count, moment } = useFigures();
  const { data: seen, error, refetch } = useQuery(cosignedOf(log.log_id, place));
  if (error !== null) return <Fault error={error} again={() => void refetch()} />;
  if (seen === undefined) return null;
  return (
    <Text size="sm" mb="xs" maw="72ch">
      {seen === null
        ? audit.notSigned
        : `${audit.witness}: ${seen.by.map(({ name, at }) => `${name} (${moment(at)})`).join(', ')}; ${audit.size} ${count(seen.size)}, ${audit.behind} ${count(Math.max(0, log.size - seen.size))}. ${audit.witnessUnchecked}`}
    </Text>
  );
}
