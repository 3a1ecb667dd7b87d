/** The head of a page of content: apps and webhooks are beside each other, and a type has its documents and a new one there as well. */
import { PageHead } from '../frame/page-head.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { contentPath, newPath, typePath, webhooksPath } from './paths.ts';

interface HeadProps {
  readonly title: string;
  /** The app and the type that the page is about. */
  readonly of?: { readonly app: string; readonly type: string };
}

export function ContentHead({ title, of }: HeadProps) {
  const { content: words } = useWords();
  const { key } = usePlace();
  const beside =
    of === undefined
      ? [{ to: webhooksPath(key), label: words.webhooks }]
      : [
          { to: typePath(key, of.app, of.type), label: `${of.app} / ${of.type}` },
          { to: newPath(key, of.app, of.type), label: words.add },
        ];
  return (
    <PageHead title={title} label={words.section} beside={[{ to: contentPath(key), label: words.all }, ...beside]} />
  );
}
