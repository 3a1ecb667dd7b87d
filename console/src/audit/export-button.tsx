/** Saves all records that fit a search, not only those that are shown. */
import { Button, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Fault } from '../parts/fault.tsx';
import { save } from '../parts/save.ts';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { exportOf } from './export.ts';
import { recordsBefore } from './queries.ts';
import type { AuditSearch } from './search.ts';

interface ExportProps {
  readonly log: string;
  readonly search: AuditSearch;
  /** Records from this number on came later. */
  readonly end: number;
}

export function ExportButton({ log, search, end }: ExportProps) {
  const { audit } = useWords();
  const { count } = useFigures();
  const place = usePlace();
  const whole = useMutation({
    mutationFn: () => exportOf(end, (before) => recordsBefore(place, log, search, before)),
    onSuccess: ({ text }) => save('records.jsonl', text),
  });
  return (
    <>
      <Button size="xs" variant="default" loading={whole.isPending} onClick={() => whole.mutate()}>
        {audit.saveAll}
      </Button>
      {whole.data !== undefined && (
        <Text size="sm" role="status">
          {audit.savedAll(count(whole.data.count))} {whole.data.from > 0 && audit.savedUpTo(count(whole.data.from))}
        </Text>
      )}
      {whole.error !== null && <Fault error={whole.error} again={() => whole.mutate()} />}
    </>
  );
}
