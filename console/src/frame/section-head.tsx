/** The head of an area of a tenant: its pages are beside one another. */
import { usePlace } from '../session/gate.tsx';
import { PageHead } from './page-head.tsx';

interface SectionHeadProps {
  readonly section: string;
  /** Each with its address at a place. */
  readonly pages: readonly (readonly [pathOf: (key: string) => string, label: string])[];
}

export function SectionHead({ section, pages }: SectionHeadProps) {
  const { key } = usePlace();
  return (
    <PageHead title={section} label={section} beside={pages.map(([pathOf, label]) => ({ to: pathOf(key), label }))} />
  );
}
