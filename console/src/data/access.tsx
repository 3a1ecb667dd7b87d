/** What the rules of the product say to a person about one row: whether a request gets through, which rule decides, and what each of its conditions gives. */
import { Button, NativeSelect, Stack, Text, Textarea, Title } from '@mantine/core';
import { IconCheck, IconQuestionMark, IconX } from '@tabler/icons-react';
import { isSkepError } from '@skep/client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Fault } from '../parts/fault.tsx';
import { TonedBadge } from '../parts/toned-badge.tsx';
import { loginOf } from '../people/names.ts';
import type { Person } from '../people/shapes.ts';
import type { Place } from '../session/session.ts';
import { useWords } from '../words/words.tsx';
import { ACTS, explainTo, letsThrough, type Act, type Explained, type Part, type RuleSaid } from './explain.ts';
import { PersonPicker } from './person-picker.tsx';
import type { EntityDoc } from './shapes.ts';

interface AccessProps {
  readonly place: Place;
  readonly entity: EntityDoc;
  readonly id: string;
}

export function Access({ place, entity, id }: AccessProps) {
  const { row: words } = useWords();
  const [person, setPerson] = useState<Person | null>(null);
  const [act, setAct] = useState<Act>('read');
  const [text, setText] = useState('');
  const explain = useMutation({
    mutationFn: (user: Person) =>
      explainTo(place, { user: user.id, act, entity: entity.name, id, data: act === 'update' ? bodyOf(text) : null }),
  });
  const isAdministrators = isSkepError(explain.error, 'v2.requires_admin');
  const acts = ACTS.filter((one) => one !== 'restore' || entity.traits.includes('soft_delete'));
  return (
    <Stack gap="sm" className="access">
      <Text size="sm" c="dimmed">
        {words.accessHow}
      </Text>
      <PersonPicker
        place={place}
        value={person}
        onChange={(chosen) => {
          setPerson(chosen);
          explain.reset();
        }}
      />
      <NativeSelect
        label={words.act}
        value={act}
        data={acts.map((one) => ({ value: one, label: words.acts[one] }))}
        onChange={({ currentTarget }) => {
          setAct(ACTS.find((one) => one === currentTarget.value)!);
          explain.reset();
        }}
      />
      {act === 'update' && (
        <Textarea
          label={words.changes}
          description={words.changesHow}
          value={text}
          error={isReadable(text) ? undefined : words.changesBad}
          placeholder='{"status": "closed"}'
          autosize
          minRows={1}
          maxRows={8}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      <div>
        <Button
          size="compact-md"
          disabled={person === null || (act === 'update' && !isReadable(text))}
          loading={explain.isPending}
          onClick={() => person !== null && explain.mutate(person)}
        >
          {words.explain}
        </Button>
      </div>
      {isAdministrators && <Text c="dimmed">{words.forAdministrators}</Text>}
      {explain.error !== null && !isAdministrators && <Fault error={explain.error} again={explain.reset} />}
      <div role="status">
        {explain.data !== undefined && person !== null && <Said person={person} said={explain.data} />}
      </div>
    </Stack>
  );
}

/** Null where nothing is typed. */
function bodyOf(text: string): unknown {
  return text.trim() === '' ? null : JSON.parse(text);
}

function isReadable(text: string): boolean {
  try {
    const body = bodyOf(text);
    return body === null ? text.trim() === '' : typeof body === 'object' && !Array.isArray(body);
  } catch {
    return false;
  }
}

const YES = { icon: IconCheck, color: 'teal' } as const;
const NO = { icon: IconX, color: 'red' } as const;
const OPEN = { icon: IconQuestionMark, color: 'gray' } as const;
const lookOf = (isGood: boolean | null) => (isGood === null ? OPEN : isGood ? YES : NO);

function Said({ person, said: { user, rules, answer } }: { readonly person: Person; readonly said: Explained }) {
  const { row: words } = useWords();
  const { status, why } = answer;
  const isGood = status === null ? null : status < 300;
  return (
    <Stack gap="xs">
      <div>
        <TonedBadge look={lookOf(isGood)} state={String(status)}>
          {status === null ? words.depends : `${isGood === true ? words.mayIt : words.mayNot} (${status})`}
        </TonedBadge>
        <Text size="sm" mt={4}>
          {why}
        </Text>
        <Text size="sm" c="dimmed">
          {loginOf(person)} · {user.roles.length === 0 ? words.noRole : user.roles.join(', ')}
          {user.disabled && ` · ${words.isDisabled}`}
        </Text>
      </div>
      {rules.map((rule) => (
        <RuleSection key={rule.name} rule={rule} />
      ))}
    </Stack>
  );
}

function RuleSection({ rule }: { readonly rule: RuleSaid }) {
  const { row: words } = useWords();
  const isGood = letsThrough(rule);
  return (
    <section className="rule" aria-label={rule.name}>
      <Title order={2} fz="sm">
        <span className="mono">{rule.name}</span>{' '}
        <TonedBadge look={lookOf(isGood)} state={String(isGood)}>
          {isGood === null ? words.open : isGood ? words.admits : words.refuses}
        </TonedBadge>
      </Title>
      {rule.rule !== null && (
        <Text size="sm" className="mono wraps rule-text">
          {rule.rule}
        </Text>
      )}
      {rule.where !== null && (
        <Text size="xs" c="dimmed" className="wraps">
          {rule.where}
        </Text>
      )}
      {isGood !== true && rule.admits === null && <Text size="sm">{rule.why}</Text>}
      {rule.parts === null && <Text size="sm">{words.partsHidden}</Text>}
      {rule.parts !== null && rule.parts.some(({ text }) => text !== rule.rule) && (
        <ul aria-label={words.parts}>
          {rule.parts.map((part) => (
            <li key={part.text} data-gives={part.gives}>
              <Gives part={part} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Gives({ part: { text, gives, why } }: { readonly part: Part }) {
  const { row: words } = useWords();
  const isTrue = gives === 'true' ? true : gives === 'false' || gives === 'fails' ? false : null;
  return (
    <>
      <TonedBadge look={lookOf(isTrue)}>{words.gives[gives]}</TonedBadge> <span className="mono wraps">{text}</span>
      {why !== null && (
        <Text span size="sm" c="dimmed">
          {' '}
          ({why})
        </Text>
      )}
    </>
  );
}
