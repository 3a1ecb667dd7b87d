/** How a form works: where it takes submissions, what follows each, and a line that submits one. */
import { Text } from '@mantine/core';
import { Facts } from '../parts/facts.tsx';
import { Panel } from '../parts/panel.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { curlOf } from './curl.ts';
import { Follows } from './follows.tsx';
import { fieldsOf } from './known-fields.ts';
import { Sample } from '../parts/sample.tsx';
import type { FormTrigger, Submission } from './shapes.ts';

interface FormFactsProps {
  readonly form: string;
  readonly trigger: FormTrigger | undefined;
  readonly newest: Submission | undefined;
  /** Then the page shows the line itself. */
  readonly isEmpty: boolean;
}

export function FormFacts({ form, trigger, newest, isEmpty }: FormFactsProps) {
  const { forms: words } = useWords();
  const { count } = useFigures();
  const values = Object.entries(trigger?.row?.fields ?? {}).map(([to, from]) => `${to} ← ${from}`);
  return (
    <Panel title={words.howItWorks}>
      <Facts
        of={[
          [words.address, `POST /f/${form}`],
          [words.follows, <Follows key="follows" trigger={trigger} />],
          ...(values.length > 0 ? [[words.mapping, <Lines key="mapping" of={values} />] as const] : []),
          ...(trigger === undefined
            ? []
            : ([
                [words.trigger, trigger.name],
                [words.role, trigger.role],
                [words.delivered, count(trigger.delivered)],
              ] as const)),
        ]}
      />
      {!isEmpty && (
        <details>
          <summary>{words.howToSubmit}</summary>
          <HowToSubmit form={form} trigger={trigger} newest={newest} />
        </details>
      )}
    </Panel>
  );
}

function Lines({ of: lines }: { readonly of: readonly string[] }) {
  return <span className="said">{lines.join('\n')}</span>;
}

type HowProps = Omit<FormFactsProps, 'isEmpty'>;

export function HowToSubmit({ form, trigger, newest }: HowProps) {
  const { forms: words } = useWords();
  return (
    <>
      <Text maw="72ch">{words.noSubmissionHow}</Text>
      <Sample label={words.shell} text={curlOf(location, form, fieldsOf(trigger, newest))} />
      <Text size="sm" c="dimmed" maw="72ch" my="xs">
        {words.noSubmissionFaults}
      </Text>
    </>
  );
}
