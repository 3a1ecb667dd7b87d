/** The languages of a document, each with its state there; one that is missing is told. */
import { Anchor, Group } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Panel } from '../parts/panel.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { documentPath } from './paths.ts';
import { lookedAt, partOf } from './queries.ts';
import type { App, Type } from './shapes.ts';
import { StateBadge } from './state-badge.tsx';

interface LanguagesProps {
  readonly app: App;
  readonly type: Type;
  readonly id: string;
  readonly locale: string | null;
}

export function Languages({ app, type, id, locale: shown }: LanguagesProps) {
  const { content: words } = useWords();
  const place = usePlace();
  const looked = lookedAt(app.locale);
  const parts = useQueries({ queries: looked.map((locale) => partOf(place, app.name, type.name, id, locale)) });
  return (
    <Panel title={words.languages}>
      <Group component="nav" aria-label={words.languages} gap="md">
        {app.locale?.supported.map((locale, at) => {
          const part = parts[at]?.data;
          return (
            <Group key={locale} gap={6} wrap="nowrap">
              <Anchor
                component={Link}
                to={documentPath(place.key, app.name, type.name, id)}
                search={{ locale } as never}
                aria-current={locale === shown ? 'page' : undefined}
                c="var(--mantine-color-text)"
                className="tab"
              >
                {locale}
              </Anchor>
              {part !== undefined && <StateBadge of={part === null ? 'missing' : part.status} />}
            </Group>
          );
        })}
      </Group>
    </Panel>
  );
}
