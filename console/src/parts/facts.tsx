/** What is known of one thing, name by name; a dash where there is nothing. */
import type { ReactNode } from 'react';
import './facts.css';

export type Fact = readonly [name: string, value: ReactNode];

export function Facts({ of: facts }: { readonly of: readonly Fact[] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="mono">{value ?? '–'}</dd>
        </div>
      ))}
    </dl>
  );
}
