/** A control for a value that a request takes, by its declared type; JSON where no other fits. */
import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useWords } from '../words/words.tsx';
import { isJson, typeOf } from './request.ts';
import type { Taken } from './shapes.ts';

interface ControlProps {
  readonly of: Taken;
  readonly text: string;
  readonly fault: string | undefined;
  readonly change: (text: string) => void;
}

const FIGURES: readonly string[] = ['integer', 'number', 'decimal'];

export function Control({ of: one, text, fault, change }: ControlProps) {
  const { requests: words, data } = useWords();
  const type = typeOf(one);
  const { default: fallback, enum: choices } = one.schema;
  const shared = {
    name: one.name,
    label: one.name,
    description: [type, ...(one.isRequired ? [data.required] : []), words.places[one.in]].join(', '),
    value: text,
    error: fault,
    size: 'sm',
    autoComplete: 'off',
    ...(one.about !== '' && { title: one.about }),
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      change(currentTarget.value),
  } as const;
  const placeholder = fallback === undefined ? {} : { placeholder: JSON.stringify(fallback) };
  const offered = choices?.map(String) ?? (type === 'boolean' ? ['true', 'false'] : null);
  if (offered !== null) return <NativeSelect {...shared} data={['', ...offered]} />;
  if (isJson(type))
    return (
      <Textarea
        {...shared}
        placeholder={
          fallback === undefined ? (type === 'object' || type === 'json' ? '{}' : '[]') : JSON.stringify(fallback)
        }
        autosize
        minRows={2}
        maxRows={16}
        spellCheck={false}
        classNames={{ input: 'mono' }}
      />
    );
  if (type === 'text') return <Textarea {...shared} {...placeholder} autosize minRows={2} maxRows={12} />;
  if (type === 'date') return <TextInput {...shared} type="date" />;
  const inputMode = FIGURES.includes(type) ? 'decimal' : 'text';
  return <TextInput {...shared} {...placeholder} inputMode={inputMode} spellCheck={false} />;
}
