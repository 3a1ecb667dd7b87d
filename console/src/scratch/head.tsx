/** The head of the scratchpad: its pages are beside one another. */
import { PageHead } from '../frame/page-head.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { expressionPath, scratchPath } from './paths.ts';

export function ScratchHead() {
  const { scratch: words } = useWords();
  const { key } = usePlace();
  return (
    <PageHead
      title={words.section}
      label={words.section}
      beside={[
        { to: scratchPath(key), label: words.graphql },
        { to: expressionPath(key), label: words.expression },
      ]}
    />
  );
}
