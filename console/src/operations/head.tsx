/** The head that the operator's pages share. */
import { PageHead } from '../frame/page-head.tsx';
import { useWords } from '../words/words.tsx';

export function Head({ title }: { readonly title: string }) {
  const { operations } = useWords();
  return (
    <PageHead
      title={title}
      label={operations.section}
      beside={[
        { to: '/operations', label: operations.home },
        { to: '/operations/hour', label: operations.hour },
        { to: '/operations/load', label: operations.load },
        { to: '/operations/slow', label: operations.slow },
        { to: '/operations/buckets', label: operations.rates },
        { to: '/operations/cluster', label: operations.cluster },
        { to: '/operations/logs', label: operations.logs },
      ]}
    />
  );
}
