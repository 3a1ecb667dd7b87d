/** Saves the submissions of a form as a file, a part at a time where there are many. */
import { Button, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { save } from '../parts/save.ts';
import { Fault } from '../parts/fault.tsx';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { exportOf } from './queries.ts';

export function ExportButton({ form }: { readonly form: string }) {
  const { forms: words } = useWords();
  const { count } = useFigures();
  const place = usePlace();
  const part = useMutation({
    mutationFn: (after: string | null) => exportOf(place, form, after),
    onSuccess: ({ text }) => save(`${form}.jsonl`, text),
  });
  const next = part.data?.next ?? null;
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconDownload size={14} aria-hidden />}
        loading={part.isPending}
        onClick={() => part.mutate(next)}
      >
        {next === null ? words.save : words.saveNext}
      </Button>
      {part.data !== undefined && (
        <Text size="sm" role="status">
          {count(part.data.count)} {words.saved}
        </Text>
      )}
      {part.error !== null && <Fault error={part.error} again={() => part.mutate(part.variables ?? null)} />}
    </>
  );
}
