/** The conditions of a view as chips, and one more. They are those of the address. */
import { ActionIcon, Button, NativeSelect, Popover, TextInput } from '@mantine/core';
import { IconFilter, IconX } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import { OPERATORS, operatorsOf, type Operator } from './operators.ts';
import type { EntityDoc } from './shapes.ts';
import type { Condition } from './view.ts';
import { useWords } from '../words/words.tsx';

interface FiltersProps {
  readonly entity: EntityDoc;
  readonly conditions: readonly Condition[];
  readonly onChange: (conditions: readonly Condition[]) => void;
}

export function Filters({ entity, conditions, onChange }: FiltersProps) {
  const { data: words } = useWords();
  /** The place of the condition that is being changed; as many as there are for a new one, null for none. */
  const [at, setAt] = useState<number | null>(null);
  const put = (condition: Condition): void => {
    onChange([...conditions.slice(0, at!), condition, ...conditions.slice(at! + 1)]);
    setAt(null);
  };
  const form = <Form key={at} entity={entity} condition={conditions[at ?? -1] ?? null} onApply={put} />;
  return (
    <>
      {conditions.map((condition, place) => (
        <span key={`${place} ${condition.field}`} className="chip">
          <Popover
            opened={at === place}
            onChange={(isOpen) => setAt(isOpen ? place : null)}
            position="bottom-start"
            trapFocus
            transitionProps={{ duration: 0 }}
          >
            <Popover.Target>
              <button type="button" onClick={() => setAt(place)}>
                <b>{condition.field}</b> {textOf(condition, words)}
              </button>
            </Popover.Target>
            <Popover.Dropdown>{form}</Popover.Dropdown>
          </Popover>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="xs"
            aria-label={`${words.remove} ${condition.field}`}
            onClick={() => onChange(conditions.filter((_, other) => other !== place))}
          >
            <IconX size={12} />
          </ActionIcon>
        </span>
      ))}
      <Popover
        opened={at === conditions.length}
        onChange={(isOpen) => setAt(isOpen ? conditions.length : null)}
        position="bottom-start"
        trapFocus
        transitionProps={{ duration: 0 }}
      >
        <Popover.Target>
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<IconFilter size={14} aria-hidden />}
            onClick={() => setAt(at === null ? conditions.length : null)}
          >
            {words.addFilter}
          </Button>
        </Popover.Target>
        <Popover.Dropdown>{form}</Popover.Dropdown>
      </Popover>
    </>
  );
}

function textOf({ op, value }: Condition, { operators, no }: ReturnType<typeof useWords>['data']): string {
  const name = operators[op].replace(/ \(.*\)$/, '');
  if (op === 'null') return value === 'false' ? `${name}: ${no}` : name;
  return `${name} ${value}`;
}

interface FormProps {
  readonly entity: EntityDoc;
  readonly condition: Condition | null;
  readonly onApply: (condition: Condition) => void;
}

function Form({ entity, condition, onApply }: FormProps) {
  const { data: words } = useWords();
  const [name, setName] = useState(condition?.field ?? firstField(entity));
  const field = entity.fields.find((one) => one.name === name);
  const all: readonly Operator[] = field === undefined ? OPERATORS : operatorsOf(field);
  const [chosen, setOp] = useState<Operator | null>(condition?.op ?? null);
  const op = chosen !== null && all.includes(chosen) ? chosen : all[0]!;
  const choices =
    op === 'null' || field?.type === 'boolean'
      ? ['true', 'false']
      : op === 'eq' || op === 'ne'
        ? field?.enum
        : undefined;
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const value = new FormData(event.currentTarget).get('value');
    onApply({ field: name, op, value: typeof value === 'string' ? patternOf(op, value) : '' });
  };
  return (
    <form onSubmit={submit} className="filter-form">
      <NativeSelect
        label={words.field}
        value={name}
        data={[...(field === undefined ? [name] : []), ...entity.fields.map((one) => one.name)]}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <NativeSelect
        label={words.condition}
        value={op}
        data={all.map((one) => ({ value: one, label: words.operators[one] }))}
        onChange={({ currentTarget }) => setOp(all.find((one) => one === currentTarget.value)!)}
      />
      {choices === undefined ? (
        <TextInput name="value" label={words.value} defaultValue={condition?.value} data-autofocus required />
      ) : (
        <NativeSelect
          key={op}
          name="value"
          label={words.value}
          defaultValue={condition?.value}
          data={choices.map((choice) => ({ value: choice, label: shownChoice(choice, op, words) }))}
        />
      )}
      <Button type="submit" size="compact-sm">
        {words.apply}
      </Button>
    </form>
  );
}

/** The first field that people know a row by. */
const firstField = ({ fields }: EntityDoc): string =>
  (fields.find(({ type }) => type === 'string' || type === 'text') ?? fields[0])?.name ?? '';

/** Who writes no pattern means a part of the text. */
const patternOf = (op: Operator, text: string): string => (op === 'ilike' && !text.includes('%') ? `%${text}%` : text);

function shownChoice(choice: string, op: Operator, { yes, no }: ReturnType<typeof useWords>['data']): string {
  if (op === 'null' || choice === 'true' || choice === 'false') return choice === 'true' ? yes : no;
  return choice;
}
