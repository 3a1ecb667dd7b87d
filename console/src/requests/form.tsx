/** What an operation takes, as a form: a control for each value, what is wrong beside it, and before it is run whether it changes something. */
import { Alert, Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconPlayerPlay } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import { usePlace } from '../session/gate.tsx';
import { nameOf } from '../session/position.ts';
import { Editor } from '../scratch/editor.tsx';
import { useWords } from '../words/words.tsx';
import type { Faults } from '../data/faults.ts';
import { Control } from './control.tsx';
import { BODY, type Filled, type Unfilled } from './request.ts';
import type { Operation, Taken } from './shapes.ts';

/** More of them stand in a list, from which one takes those that one needs. */
const SHOWN_MAX = 10;

interface OperationFormProps {
  readonly operation: Operation;
  readonly filled: Filled;
  readonly change: (filled: Filled) => void;
  readonly unfilled: Unfilled;
  /** Of the node, by the name of the value. */
  readonly faults: Faults;
  readonly isServed: boolean;
  readonly isPending: boolean;
  readonly submit: () => void;
}

export function OperationForm(props: OperationFormProps) {
  const { operation, filled, change, unfilled, faults, isServed, isPending, submit } = props;
  const { requests: words, data } = useWords();
  const { key } = usePlace();
  const [added, setAdded] = useState<readonly string[]>([]);
  const isShown = ({ name, isRequired, in: place }: Taken): boolean =>
    isRequired ||
    added.includes(name) ||
    (filled.texts[name] ?? '') !== '' ||
    (place !== 'header' && operation.takes.length <= SHOWN_MAX);
  const others = operation.takes.filter((one) => !isShown(one));
  const say = (why: Unfilled[string] | undefined): string | undefined =>
    why === undefined ? undefined : why === 'missing' ? words.missing : `${data.badJson} ${why.message}`;
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    submit();
  };
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="sm">
        <Text size="sm" c="dimmed" maw="72ch">
          {operation.about}
        </Text>
        {operation.takes.filter(isShown).map((one) => (
          <Control
            key={`${one.in} ${one.name}`}
            of={one}
            text={filled.texts[one.name] ?? ''}
            fault={say(unfilled[one.name]) ?? faults[one.name]?.join('; ')}
            change={(text) => change({ ...filled, texts: { ...filled.texts, [one.name]: text } })}
          />
        ))}
        {others.length > 0 && (
          <NativeSelect
            label={words.more}
            size="sm"
            value=""
            onChange={({ currentTarget }) => setAdded([...added, currentTarget.value])}
            data={[{ value: '', label: words.choose }, ...others.map(({ name }) => name)]}
          />
        )}
        {operation.takes.length === 0 && operation.body === null && <Text size="sm">{words.takesNothing}</Text>}
        {operation.body !== null && (
          <div>
            <Text size="sm" mb={4}>
              {words.body}
            </Text>
            <Editor
              label={words.body}
              language="json"
              value={filled.body}
              change={(body) => change({ ...filled, body })}
              run={submit}
            />
            <Complaint of={say(unfilled[BODY])} />
          </div>
        )}
        <Unnamed faults={faults} operation={operation} />
        {operation.writes && (
          <Alert color="orange" variant="outline" icon={<IconAlertTriangle aria-hidden />}>
            <Text size="sm" c="var(--mantine-color-text)">
              {words.writes(nameOf(key))}
            </Text>
          </Alert>
        )}
        {isServed ? (
          <Group>
            <Button type="submit" leftSection={<IconPlayerPlay size={16} aria-hidden />} loading={isPending}>
              {operation.writes ? words.runAndChange : words.run}
            </Button>
          </Group>
        ) : (
          <Text size="sm" role="note" maw="72ch">
            {words.elsewhereOnly}
          </Text>
        )}
      </Stack>
    </form>
  );
}

const Complaint = ({ of: text }: { readonly of: string | undefined }) =>
  text === undefined ? null : (
    <Text size="sm" role="alert" className="fault-text said">
      {text}
    </Text>
  );

/** What the node says of a name that has no control: of a member of the body. */
function Unnamed({ faults, operation }: { readonly faults: Faults; readonly operation: Operation }) {
  const lines = Object.entries(faults).filter(([name]) => operation.takes.every((one) => one.name !== name));
  return (
    <>
      {lines.map(([name, said]) => (
        <Complaint key={name} of={`${name}: ${said.join('; ')}`} />
      ))}
    </>
  );
}
