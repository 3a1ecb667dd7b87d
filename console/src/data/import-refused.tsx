/** Rows of a file that the node refused: which and why, and their texts to be corrected. */
import { Button, Group, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { Table } from '../parts/table.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import type { ImportSo } from './import-run.ts';

export function RefusedRows({ so: { refused, omitted } }: { readonly so: ImportSo }) {
  const { data, importing: words } = useWords();
  const { count } = useFigures();
  if (refused.length === 0) return null;
  return (
    <div>
      <Table
        label={words.refusedList}
        rows={refused}
        empty=""
        keyOf={({ row }) => String(row)}
        columns={[
          { label: data.line, isFigure: true, cell: ({ line }) => count(line) },
          { label: data.why, cell: ({ error }) => <span className="import-why">{error}</span> },
        ]}
      />
      {omitted > 0 && (
        <Text size="sm" c="dimmed">
          {words.andMore(count(omitted))}
        </Text>
      )}
    </div>
  );
}

interface MendProps {
  readonly so: ImportSo;
  readonly onMend: (text: string) => void;
}

export function MendRows({ so: { refused, head }, onMend }: MendProps) {
  const { importing: words } = useWords();
  const { count } = useFigures();
  const texts = refused.flatMap(({ text }) => text ?? []);
  const [text, setText] = useState<string | null>(null);
  if (texts.length === 0) return null;
  if (text === null)
    return (
      <Group>
        <Button variant="default" size="compact-md" onClick={() => setText(head + texts.join('\n'))}>
          {words.mend(count(texts.length))}
        </Button>
      </Group>
    );
  return (
    <>
      <Textarea
        label={words.mended}
        description={words.mendHow}
        value={text}
        autosize
        minRows={4}
        maxRows={16}
        spellCheck={false}
        classNames={{ input: 'mono' }}
        onChange={({ currentTarget: { value } }) => setText(value)}
      />
      <Group>
        <Button size="compact-md" onClick={() => onMend(text)}>
          {words.checkThem}
        </Button>
      </Group>
    </>
  );
}
