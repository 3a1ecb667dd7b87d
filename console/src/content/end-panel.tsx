/** The end of a document, or of one of its languages, behind its name that is typed. */
import { Text } from '@mantine/core';
import { content, type Document } from '@skep/client';
import { useMutation } from '@tanstack/react-query';
import { AskedAct } from '../parts/asked-act.tsx';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import type { App, Type } from './shapes.ts';

interface EndPanelProps {
  readonly app: App;
  readonly type: Type;
  readonly id: string;
  readonly locale: string | null;
  /** Null where the document is missing in the language. */
  readonly part: Document | null;
  /** What is typed. */
  readonly name: string;
  readonly onGone: (isWhole: boolean) => void;
}

export function EndPanel({ app, type, id, locale, part, name, onGone }: EndPanelProps) {
  const { content: words } = useWords();
  const { skep } = usePlace();
  const end = useMutation({
    mutationFn: (one: string | null) =>
      content(skep, app.name).delete(type.name, id, one === null ? {} : { locale: one }),
    onSuccess: (_gone, one) => onGone(one === null),
  });
  const translation = part !== null && locale !== null && locale !== app.locale?.default ? locale : null;
  const typed = { name, label: words.typedName, isPending: end.isPending, reset: () => end.reset() } as const;
  const isTyped = (text: string): boolean => text === name;
  return (
    <Panel title={words.end}>
      {end.error !== null && <Fault error={end.error} again={() => end.reset()} />}
      <Text size="sm" c="dimmed" maw="72ch">
        {words.endForGood}
      </Text>
      {translation !== null && (
        <AskedAct
          {...typed}
          act={words.endTranslation(translation)}
          how={words.endTranslationSure(translation)}
          isTyped={isTyped}
          run={() => end.mutateAsync(translation)}
        />
      )}
      <AskedAct
        {...typed}
        act={words.endAll}
        how={words.endAllSure}
        isTyped={isTyped}
        run={() => end.mutateAsync(null)}
      />
    </Panel>
  );
}
