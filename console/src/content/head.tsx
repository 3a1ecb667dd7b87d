/** The head of a page of content: a type has its documents and a new one beside each other. */
import { PageHead } from '../frame/page-head.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { contentPath, newPath, typePath } from './paths.ts';

interface HeadProps {
  readonly title: string;
  readonly app: string;
  readonly type: string;
}

export function ContentHead({ title, app, type }: HeadProps) {
  const { content: words } = useWords();
  const { key } = usePlace();
  return (
    <PageHead
      title={title}
      label={words.section}
      beside={[
        { to: contentPath(key), label: words.all },
        { to: typePath(key, app, type), label: `${app} / ${type}` },
        { to: newPath(key, app, type), label: words.add },
      ]}
    />
  );
}
