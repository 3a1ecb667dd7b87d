/** JSON of a field in an editor with colours and brackets, which comes when a row with such a field is shown. */
import { Input, Textarea } from '@mantine/core';
import { lazy, Suspense } from 'react';

interface JsonControlProps {
  readonly name: string;
  readonly description: string;
  readonly text: string;
  readonly error: string | undefined;
  readonly onChange: (text: string) => void;
}

const Editor = lazy(async () => ({ default: (await import('../scratch/editor.tsx')).Editor }));

export function JsonControl({ name, description, text, error, onChange }: JsonControlProps) {
  return (
    <Input.Wrapper label={name} labelElement="div" description={description} error={error} size="sm">
      <Suspense fallback={<Textarea aria-label={name} value={text} readOnly rows={3} classNames={{ input: 'mono' }} />}>
        <Editor label={name} language="json" value={text} change={onChange} />
      </Suspense>
    </Input.Wrapper>
  );
}
