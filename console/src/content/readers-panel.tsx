/** What readers of this language get, and what a preview token would show them. */
import { Button, Group, Text } from '@mantine/core';
import { content, isSkepError } from '@skep/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { gatewayAt } from '../node/gateway.ts';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { Sample } from '../parts/sample.tsx';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { previewLine } from './preview-line.ts';
import { localeQuery, publicOf } from './queries.ts';
import type { App, Type } from './shapes.ts';

interface ReadersPanelProps {
  readonly app: App;
  readonly type: Type;
  readonly id: string;
  readonly locale: string | null;
  /** Whether anything is published that readers of this language get; what is not is not asked for. */
  readonly isPublished: boolean;
}

export function ReadersPanel(props: ReadersPanelProps) {
  const { app, type, id, locale, isPublished } = props;
  const { content: words } = useWords();
  const asked = useQuery({ ...publicOf(usePlace(), app.name, type.name, id, locale), enabled: isPublished });
  const found = isPublished ? asked.data : null;
  const other = locale !== null && found && found.locale !== locale ? found.locale : null;
  return (
    <Panel title={words.readers}>
      {asked.error !== null && <Fault error={asked.error} again={() => void asked.refetch()} />}
      {found === null && (
        <Text size="sm" maw="72ch">
          {words.readersNone}
        </Text>
      )}
      {other !== null && (
        <Text size="sm" maw="72ch">
          {words.readersOther(other ?? '')}
        </Text>
      )}
      {found && <Sample label={`GET /content/${app.name}/${type.name}/${id}`} text={JSON.stringify(found, null, 2)} />}
      <Preview {...props} />
    </Panel>
  );
}

/** A token is for one document and some time; it is in this page alone. */
function Preview({ app, type, id, locale }: Omit<ReadersPanelProps, 'isPublished'>) {
  const { content: words } = useWords();
  const { count } = useFigures();
  const { key, skep } = usePlace();
  const mint = useMutation({
    mutationFn: async () => {
      const of = content(skep, app.name);
      const { token, expiresIn } = await of.preview(type.name, id);
      return { token, expiresIn, seen: await of.get(type.name, id, { preview: token, ...localeQuery(locale) }) };
    },
    gcTime: 0,
  });
  if (!app.preview)
    return (
      <Text size="sm" c="dimmed" maw="72ch" mt="sm">
        {words.previewNone}
      </Text>
    );
  const { data: made, error } = mint;
  return (
    <>
      <Text size="sm" maw="72ch" mt="sm">
        {words.previewHow}
      </Text>
      {error !== null && <PreviewFault error={error} again={() => mint.mutate()} />}
      <Group mt="xs">
        <Button size="xs" variant="default" loading={mint.isPending} onClick={() => mint.mutate()}>
          {words.preview}
        </Button>
        {made !== undefined && (
          <Text size="sm" c="dimmed" role="status">
            {words.previewFor(count(Math.round(made.expiresIn / 60)))}
          </Text>
        )}
      </Group>
      {made !== undefined && (
        <>
          <Sample
            label={words.previewLine}
            text={previewLine({
              at: gatewayAt(location, undefined),
              key,
              app: app.name,
              type: type.name,
              id,
              locale,
              token: made.token,
            })}
            isLine
          />
          <Sample label={words.previewSeen} text={JSON.stringify(made.seen, null, 2)} />
        </>
      )}
    </>
  );
}

function PreviewFault({ error, again }: { readonly error: Error; readonly again: () => void }) {
  const { content: words } = useWords();
  if (isSkepError(error, 'content.preview_unconfigured'))
    return (
      <Text size="sm" maw="72ch">
        {words.previewNone}
      </Text>
    );
  return <Fault error={error} again={again} />;
}
