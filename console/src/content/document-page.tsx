/** A document: its languages, its state, its fields in one language, what its readers get, its end. Which language is shown stands in the address. */
import { Stack, Text } from '@mantine/core';
import { isSkepError, type Document } from '@skep/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { Denied } from './denied.tsx';
import { DocumentForm } from './document-form.tsx';
import { nameOf } from './documents-table.tsx';
import { EndPanel } from './end-panel.tsx';
import { ContentHead } from './head.tsx';
import { Languages } from './languages.tsx';
import { typePath } from './paths.ts';
import { appsOf, partOf, typeOf } from './queries.ts';
import { ReadersPanel } from './readers-panel.tsx';
import type { App, Type } from './shapes.ts';
import { StatePanel } from './state-panel.tsx';
import { VersionsPanel } from './versions-panel.tsx';

const FROM = '/at/$customer/$product/$env/$tenant/content/$app/$type/$document';

export function DocumentPage() {
  const place = usePlace();
  const { app: name, type: typeName, document: id } = useParams({ from: FROM });
  const apps = useQuery(appsOf(place));
  const type = useQuery(typeOf(place, name, typeName));
  const app = apps.data?.find((one) => one.name === name);
  const error = apps.error ?? type.error;
  if (error !== null)
    return (
      <>
        <ContentHead title={id} of={{ app: name, type: typeName }} />
        <Denied error={error} again={() => void Promise.all([apps.refetch(), type.refetch()])} />
      </>
    );
  return app === undefined || type.data === undefined ? null : <Shown key={id} app={app} type={type.data} id={id} />;
}

interface ShownProps {
  readonly app: App;
  readonly type: Type;
  readonly id: string;
}

function Shown({ app, type, id }: ShownProps) {
  const { content: words } = useWords();
  const place = usePlace();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const search = useSearch({ from: FROM });
  const [isTyping, setTyping] = useState(false);
  const first = app.locale?.default ?? null;
  const locale = app.locale?.supported.find((one) => one === search.locale) ?? first;
  const main = useQuery(partOf(place, app.name, type.name, id, first));
  const shown = useQuery(partOf(place, app.name, type.name, id, locale));
  const error = main.error ?? shown.error;
  const part = shown.data;
  const renewed = (): void => void queries.invalidateQueries({ queryKey: ['content'] });
  const kept = (document: Document): void => {
    queries.setQueryData(partOf(place, app.name, type.name, id, locale).queryKey, document);
    renewed();
  };
  const gone = (isWhole: boolean): void => {
    if (!isWhole) {
      queries.setQueryData(partOf(place, app.name, type.name, id, locale).queryKey, null);
      return renewed();
    }
    // The lists alone: what is gone is not asked for again.
    void queries.invalidateQueries({ queryKey: ['content', 'documents', app.name, type.name] });
    void navigate({ to: typePath(place.key, app.name, type.name) });
  };
  const title = part ?? main.data;
  const parts = { app, type, id, locale } as const;
  return (
    <>
      <ContentHead title={title ? nameOf(type, title) : id} of={{ app: app.name, type: type.name }} />
      {error !== null && <Lost error={error} again={() => void Promise.all([main.refetch(), shown.refetch()])} />}
      {error === null && part !== undefined && main.data && (
        <Stack gap="sm">
          {app.locale !== null && <Languages app={app} type={type} id={id} locale={locale} />}
          {part !== null && <StatePanel {...parts} part={part} isHeld={isTyping} onKept={kept} />}
          <Panel title={words.fieldsOf}>
            {part === null && (
              <Text size="sm" maw="72ch" mb="xs" role="status">
                {words.missingIn(locale ?? '', first ?? '')}
              </Text>
            )}
            <DocumentForm
              // Each language has a form of its own, and one that is translated another.
              key={`${locale ?? ''} ${String(part === null)}`}
              {...parts}
              part={part}
              onKept={kept}
              onTyping={setTyping}
              onAgain={renewed}
            />
          </Panel>
          {app.versioned && part !== null && (
            <VersionsPanel
              // Versions are of one language.
              key={`versions ${locale ?? ''}`}
              {...parts}
              part={part}
              opened={search.version}
              isHeld={isTyping}
              onKept={kept}
            />
          )}
          <ReadersPanel
            key={locale ?? ''}
            {...parts}
            isPublished={[part, main.data].some((one) => one?.status === 'published')}
          />
          <EndPanel {...parts} part={part} name={nameOf(type, main.data)} onGone={gone} />
        </Stack>
      )}
    </>
  );
}

function Lost({ error, again }: { readonly error: Error; readonly again: () => void }) {
  const { content: words } = useWords();
  if (isSkepError(error, 'content.document_not_found')) return <Text maw="72ch">{words.unknown}</Text>;
  if (isSkepError(error, 'content.forbidden')) return <Text maw="72ch">{words.noEditor}</Text>;
  return <Fault error={error} again={again} />;
}
