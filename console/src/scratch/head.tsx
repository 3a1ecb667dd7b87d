/** The head of the scratchpad: its pages are beside one another. */
import { SectionHead } from '../frame/section-head.tsx';
import { useWords } from '../words/words.tsx';
import { expressionPath, restPath, scratchPath } from './paths.ts';

export function ScratchHead() {
  const { section, graphql, expression, rest } = useWords().scratch;
  return (
    <SectionHead
      section={section}
      pages={[
        [scratchPath, graphql],
        [expressionPath, expression],
        [restPath, rest],
      ]}
    />
  );
}
