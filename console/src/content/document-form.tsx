/** The fields of a document in one language as a form, and what the node refuses beside its field. */
import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { content, isSkepError, type Document } from '@skep/client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, type FormEvent } from 'react';
import type { CellContext } from '../data/cell.tsx';
import { faultsOf, type Faults } from '../data/faults.ts';
import { FieldControl } from '../data/field-control.tsx';
import { schemaOf } from '../data/queries.ts';
import { formTextOf, isEditable } from '../data/value.ts';
import { Fault } from '../parts/fault.tsx';
import { usePlace } from '../session/gate.tsx';
import type { Place } from '../session/session.ts';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { localeQuery, versionQuery } from './queries.ts';
import { entityOf, type App, type Type, type TypeField } from './shapes.ts';
import { typedValues, type Texts } from './typed-values.ts';

interface DocumentFormProps {
  readonly app: App;
  readonly type: Type;
  readonly locale: string | null;
  /** The document's id; null of a new one. */
  readonly id: string | null;
  /** The document in this language; null where it has none yet. */
  readonly part: Document | null;
  readonly onKept: (document: Document) => void;
  /** Told when text that is not kept is there, and when it is gone. */
  readonly onTyping?: (isTyped: boolean) => void;
  /** Loads the document as it is now. */
  readonly onAgain?: () => void;
}

export function DocumentForm({ app, type, locale, id, part: newest, onKept, onTyping, onAgain }: DocumentFormProps) {
  const { content: words, data: dataWords, cancel } = useWords();
  const place = usePlace();
  /** What was typed; other fields stay as they are. */
  const [typed, setTyped] = useState<Texts>({});
  /** What was there when the typing began: a newer one that comes meanwhile takes no text away, and is not written over unseen. */
  const [seen, setSeen] = useState(newest);
  const isTyped = Object.keys(typed).length > 0;
  const part = isTyped ? seen : newest;
  const [faults, setFaults] = useState<Faults>({});
  const [error, setError] = useState<Error | null>(null);
  const [isSaving, setSaving] = useState(false);
  const isTranslation = id !== null && part === null;
  const fields = type.fields.filter((field) => isEditable(field) && (!isTranslation || field.localized));
  const before = (field: TypeField): string => (part === null ? '' : formTextOf(part[field.name], field));

  const retype = (texts: Texts): void => {
    setTyped(texts);
    onTyping?.(Object.keys(texts).length > 0);
  };
  useEffect(() => () => onTyping?.(false), [onTyping]);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setError(null);
    const { values, faults: unread } = typedValues(fields, typed, dataWords.badJson);
    setFaults(unread);
    if (Object.keys(unread).length > 0) return;
    setSaving(true);
    try {
      const kept = await keep(place, { app, type, locale, id, part }, values);
      retype({});
      onKept(kept);
    } catch (thrown) {
      setFaults(faultsOf(thrown));
      setError(thrown as Error);
    } finally {
      setSaving(false);
    }
  };
  const change = (field: TypeField, text: string): void => {
    const others = Object.fromEntries(Object.entries(typed).filter(([name]) => name !== field.name));
    if (!isTyped) setSeen(newest);
    retype(text === before(field) ? others : { ...others, [field.name]: text });
  };
  const again = (): void => {
    retype({});
    setError(null);
    onAgain?.();
  };
  const shown = { type, part, texts: typed, before, faults, change };
  const own = fields.filter(({ localized }) => localized);
  const shared = fields.filter(({ localized }) => !localized);
  return (
    <form onSubmit={(event) => void submit(event)} noValidate aria-label={words.fieldsOf}>
      <Stack gap="md">
        {error !== null && <Said error={error} faults={faults} fields={fields} onAgain={again} />}
        {own.length > 0 && <Fields {...shown} title={locale === null ? null : words.inLanguage(locale)} fields={own} />}
        {shared.length > 0 && (
          <Fields {...shown} title={locale === null ? null : words.inAllLanguages} fields={shared} />
        )}
        <Group gap="xs">
          <Button type="submit" size="xs" loading={isSaving} disabled={part !== null && !isTyped}>
            {part !== null ? words.save : isTranslation ? words.translate : words.create}
          </Button>
          {isTyped && part !== null && (
            <Button variant="default" size="xs" onClick={again}>
              {cancel}
            </Button>
          )}
          {part === null && (
            <Text size="sm" c="dimmed">
              {words.beginsAsDraft}
            </Text>
          )}
        </Group>
      </Stack>
    </form>
  );
}

interface FieldsProps {
  readonly title: string | null;
  readonly type: Type;
  readonly part: Document | null;
  readonly fields: readonly TypeField[];
  readonly texts: Texts;
  readonly before: (field: TypeField) => string;
  readonly faults: Faults;
  readonly change: (field: TypeField, text: string) => void;
}

function Fields({ title, type, part, fields, texts, before, faults, change }: FieldsProps) {
  const { data: words } = useWords();
  const { moment } = useFigures();
  const place = usePlace();
  const { data: schema = { product: '', entities: [] } } = useQuery(schemaOf(place));
  const context: CellContext = { placeKey: place.key, schema, entity: entityOf(type), words, moment };
  return (
    <Stack gap="sm">
      {title !== null && (
        <Title order={3} fz="sm" c="dimmed">
          {title}
        </Title>
      )}
      {fields.map((field) => (
        <FieldControl
          key={field.name}
          field={field}
          context={context}
          place={place}
          row={part}
          isLocked={false}
          text={texts[field.name] ?? before(field)}
          faults={faults[field.name] ?? []}
          onChange={(text) => change(field, text)}
        />
      ))}
    </Stack>
  );
}

interface SaidProps {
  readonly error: Error;
  readonly faults: Faults;
  readonly fields: readonly TypeField[];
  readonly onAgain: () => void;
}

/** The whole in one line where its parts stand beside their fields. */
function Said({ error, faults, fields, onAgain }: SaidProps) {
  const { content: words } = useWords();
  const names = Object.keys(faults);
  if (isSkepError(error, 'content.precondition_failed'))
    return (
      <Alert color="orange" variant="outline" role="alert">
        <Text c="var(--mantine-color-text)" size="sm">
          {words.overtaken}
        </Text>
        <Button variant="default" size="xs" mt="xs" onClick={onAgain}>
          {words.readAnew}
        </Button>
      </Alert>
    );
  if (names.length > 0 && names.every((name) => fields.some((field) => field.name === name)))
    return (
      <Text role="alert" size="sm" className="fault-text">
        {error.message}
      </Text>
    );
  return <Fault error={error} again={onAgain} />;
}

type Kept = Pick<DocumentFormProps, 'app' | 'type' | 'locale' | 'id' | 'part'>;

/** Changes leave with the version that was seen, where the app keeps versions. */
function keep({ skep }: Place, { app, type, locale, id, part }: Kept, values: object): Promise<Document> {
  const of = content(skep, app.name);
  if (id === null) return of.create(type.name, values);
  if (part === null) return of.create(type.name, { ...values, document_id: id, locale });
  return of.update(type.name, id, values, { ...localeQuery(locale), ...versionQuery(part) });
}
