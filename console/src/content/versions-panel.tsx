/** What a document was in one language: its versions, newest first, what each differs in from the document as it is, and the way back to its values. Which one is open stands in the address. */
import { Anchor, Button, Group, Text } from '@mantine/core';
import { content, isSkepError, type Document } from '@skep/client';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { changesBack, textOf } from '../data/value.ts';
import { Fault } from '../parts/fault.tsx';
import { More } from '../parts/more.tsx';
import { Panel } from '../parts/panel.tsx';
import { Table } from '../parts/table.tsx';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { documentPath } from './paths.ts';
import { localeQuery, versionAt, versionQuery, versionsOf } from './queries.ts';
import type { App, Type, Version } from './shapes.ts';

interface VersionsProps {
  readonly app: App;
  readonly type: Type;
  readonly id: string;
  readonly locale: string | null;
  /** As it is now. */
  readonly part: Document;
  /** The version that is compared with it; undefined where none is open. */
  readonly opened: number | undefined;
  /** Whether the form has text that is not kept. */
  readonly isHeld: boolean;
  readonly onKept: (document: Document) => void;
}

export function VersionsPanel(props: VersionsProps) {
  const { content: words } = useWords();
  const { app, type, id, locale, part, opened } = props;
  const place = usePlace();
  const asked = useInfiniteQuery(versionsOf(place, app.name, type.name, id, locale, Number(part['version'])));
  const rows = asked.data?.pages.flatMap(({ data }) => data);
  if (asked.error !== null)
    return (
      <Panel title={words.versions}>
        {isSkepError(asked.error, 'content.forbidden') ? (
          <Text maw="72ch">{words.noEditor}</Text>
        ) : (
          <Fault error={asked.error} again={() => void asked.refetch()} />
        )}
      </Panel>
    );
  return rows === undefined ? null : (
    <Panel title={words.versions}>
      <Rows {...props} rows={rows} />
      <More label={words.olderVersions} of={asked} />
      {opened !== undefined && <Compared {...props} number={opened} key={opened} />}
    </Panel>
  );
}

function Rows({ app, type, id, locale, part, rows, opened }: VersionsProps & { readonly rows: readonly Version[] }) {
  const { content: words } = useWords();
  const { count, moment } = useFigures();
  const { key } = usePlace();
  const isNow = (number: number): boolean => number === part['version'];
  return (
    <Table
      label={words.versions}
      rows={rows}
      empty={words.noVersions}
      keyOf={({ number }) => String(number)}
      columns={[
        { label: words.version, cell: ({ number }) => count(number) },
        { label: words.state, cell: ({ status }) => words.states[status] },
        { label: words.changed, cell: ({ updated_at: at }) => moment(at) },
        {
          label: words.compare,
          cell: ({ number }) =>
            isNow(number) ? (
              words.isNow
            ) : (
              <Anchor
                component={Link}
                to={documentPath(key, app.name, type.name, id)}
                search={{ ...localeQuery(locale), version: number } as never}
                replace
                aria-current={number === opened}
                size="sm"
                c="var(--mantine-color-text)"
                underline="always"
              >
                {words.compareWith(count(number))}
              </Anchor>
            ),
        },
      ]}
    />
  );
}

/** Each field that differs: what it was, and what it is. */
function Compared({
  app,
  type,
  id,
  locale,
  part,
  isHeld,
  onKept,
  number,
}: VersionsProps & { readonly number: number }) {
  const { content: words, data: dataWords } = useWords();
  const { count } = useFigures();
  const place = usePlace();
  const { data: then, error, refetch } = useQuery(versionAt(place, app.name, type.name, id, locale, number));
  const back = useMutation({
    mutationFn: (values: object) =>
      content(place.skep, app.name).update(type.name, id, values, { ...localeQuery(locale), ...versionQuery(part) }),
    onSuccess: onKept,
  });
  if (error !== null)
    return isSkepError(error, 'content.document_not_found') ? (
      <Text mt="sm">{words.versionGone}</Text>
    ) : (
      <Fault error={error} again={() => void refetch()} />
    );
  if (then === undefined) return null;
  const values = changesBack(type.fields, part, then);
  const names = Object.keys(values);
  return (
    <section aria-label={words.compareWith(count(number))}>
      <Text fw={600} mt="sm">
        {words.compareWith(count(number))}
      </Text>
      {names.length === 0 ? (
        <Text size="sm">{words.sameValues}</Text>
      ) : (
        <>
          <dl className="facts">
            {names.map((name) => (
              <div key={name}>
                <dt className="mono">{name}</dt>
                <dd>
                  <Text size="sm" component="del" display="block" c="dimmed" className="said">
                    {textOf(part[name]) || dataWords.nothing}
                  </Text>
                  <Text size="sm" component="ins" display="block" td="none" className="said">
                    {textOf(then[name]) || dataWords.nothing}
                  </Text>
                </dd>
              </div>
            ))}
          </dl>
          <Text size="sm" c="dimmed" maw="72ch">
            {words.takesBack}
            {locale !== null && type.fields.some(({ name, localized }) => !localized && names.includes(name))
              ? ` ${words.takesBackAll}`
              : ''}
          </Text>
          {back.error !== null && <Fault error={back.error} again={back.reset} />}
          <Group gap="sm" mt="xs">
            <Button size="xs" variant="default" disabled={isHeld || back.isPending} onClick={() => back.mutate(values)}>
              {words.takeVersion(count(number))}
            </Button>
            {isHeld && (
              <Text size="sm" c="dimmed" role="status">
                {words.keepFirst}
              </Text>
            )}
          </Group>
        </>
      )}
    </section>
  );
}
