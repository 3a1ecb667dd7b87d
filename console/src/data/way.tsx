/** The rows through which a reader came to the one that the sheet shows, each a link back; and the place of this one in a grid of its own. */
import { Anchor } from '@mantine/core';
import { Link as RouterLink } from '@tanstack/react-router';
import { useWords } from '../words/words.tsx';
import type { CellContext, Link } from './cell.tsx';
import { entityPath } from './paths.ts';
import type { Step } from './view.ts';

export interface Passed extends Step, Link {}

interface WayProps {
  readonly context: CellContext;
  readonly id: string;
  readonly way: readonly Passed[];
}

export function Way({ context: { placeKey, entity }, id, way }: WayProps) {
  const { row: words } = useWords();
  const shared = { component: RouterLink, c: 'var(--mantine-color-text)', underline: 'always', fz: 'inherit' } as const;
  return (
    <nav className="way" aria-label={words.way}>
      <ol>
        {way.map(({ entity: name, id: key, to, search }) => (
          <li key={`${name} ${key}`}>
            <Anchor {...shared} to={to} search={search as never} title={key}>
              {name} {shortened(key)}
            </Anchor>{' '}
            <span aria-hidden>›</span>
          </li>
        ))}
      </ol>
      <Anchor {...shared} to={entityPath(placeKey, entity.name)} search={{ row: id } as never}>
        {words.inGrid}
      </Anchor>
    </nav>
  );
}

/** Keys that a machine has drawn are known by their ends. */
const shortened = (key: string): string => (key.length > 12 ? `…${key.slice(-6)}` : key);
