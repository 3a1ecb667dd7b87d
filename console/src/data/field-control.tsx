/** The control of a field, by its type. */
import { Anchor, Autocomplete, NativeSelect, Text, TextInput, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Place } from '../session/session.ts';
import { useWords } from '../words/words.tsx';
import { linkTo, referenceLabel, type CellContext } from './cell.tsx';
import { JsonControl } from './json-control.tsx';
import { isFigure } from './operators.ts';
import { suggestionsOf } from './queries.ts';
import type { EntityDoc, Field, Row } from './shapes.ts';

interface ControlProps {
  readonly field: Field;
  readonly context: CellContext;
  readonly place: Place;
  readonly row: Row | null;
  readonly isLocked: boolean;
  readonly text: string;
  readonly faults: readonly string[];
  readonly onChange: (text: string) => void;
}

type Words = CellContext['words'];

export function FieldControl(props: ControlProps) {
  const { field, context, isLocked, text, faults, onChange } = props;
  const { data: words } = useWords();
  const shared = {
    name: field.name,
    label: field.name,
    value: text,
    error: faults.length > 0 ? faults.join('; ') : undefined,
    description: describe(props, words),
    size: 'sm',
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      onChange(currentTarget.value),
  } as const;
  if (isLocked) return <TextInput {...shared} readOnly variant="filled" classNames={{ input: 'mono' }} />;
  const target = context.schema.entities.find(({ name }) => name === field.ref?.entity);
  if (target !== undefined) return <ReferenceControl {...props} target={target} shared={shared} />;
  switch (field.type) {
    case 'boolean':
      return (
        <NativeSelect
          {...shared}
          data={choicesOf(field, [
            ['true', words.yes],
            ['false', words.no],
          ])}
        />
      );
    case 'enum':
      return (
        <NativeSelect
          {...shared}
          data={choicesOf(
            field,
            (field.enum ?? []).map((one) => [one, one]),
          )}
        />
      );
    case 'text':
      return <Textarea {...shared} autosize minRows={2} maxRows={12} />;
    case 'json':
      return (
        <JsonControl
          name={field.name}
          description={shared.description}
          text={text}
          error={shared.error}
          onChange={onChange}
        />
      );
    case 'date':
      return <TextInput {...shared} type="date" />;
    default:
      return <TextInput {...shared} inputMode={isFigure(field) ? 'decimal' : 'text'} />;
  }
}

/** A key of these types is made where none is given. */
const MADE: ReadonlySet<string> = new Set(['ulid', 'uuid']);

function describe(
  { field: { name, type, required }, context: { entity }, isLocked }: ControlProps,
  words: Words,
): string {
  if (isLocked || !required) return type;
  return `${type}, ${name === entity.primary_key && MADE.has(type) ? words.madeKey : words.required}`;
}

/** Nothing is a choice where the field may be empty, and where nothing is chosen yet. */
const choicesOf = ({ nullable, required }: Field, choices: readonly (readonly [string, string])[]) => [
  ...(nullable || required ? [{ value: '', label: '' }] : []),
  ...choices.map(([value, label]) => ({ value, label })),
];

interface ReferenceProps extends ControlProps {
  readonly target: EntityDoc;
  readonly shared: {
    readonly name: string;
    readonly label: string;
    readonly description: string;
    readonly size: 'sm';
    readonly error: string | undefined;
  };
}

/** The key of another row; typing finds rows by their label. */
function ReferenceControl({ field, context, place, row, text, onChange, target, shared }: ReferenceProps) {
  const { data: words } = useWords();
  const [isTyping, setTyping] = useState(false);
  const { data: found = [] } = useQuery({ ...suggestionsOf(place, target, text), enabled: isTyping });
  const label =
    row !== null && String(row[field.name]) === text
      ? referenceLabel(context.schema, context.entity, field, row)
      : null;
  const { name, label: title, description, size, error } = shared;
  const there = linkTo(context, target.name, text);
  return (
    <div>
      <Autocomplete
        name={name}
        label={title}
        description={`${description} → ${target.name}`}
        size={size}
        error={error}
        value={text}
        data={found.map(({ id }) => id)}
        // What was asked for is what is shown.
        filter={({ options }) => options}
        renderOption={({ option }) => `${found.find(({ id }) => id === option.value)?.label ?? ''} · ${option.value}`}
        onFocus={() => setTyping(true)}
        onChange={onChange}
        comboboxProps={{ transitionProps: { duration: 0 } }}
      />
      {text !== '' && (
        <Text size="sm" c="dimmed" mt={2}>
          {label !== null && `${label} · `}
          <Anchor
            component={Link}
            to={there.to}
            search={there.search as never}
            size="sm"
            c="var(--mantine-color-text)"
            underline="always"
          >
            {words.open}
          </Anchor>
        </Text>
      )}
    </div>
  );
}
