/** The tenant of an operator's product, by its last name; those that this page knows are offered. */
import { Autocomplete } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { isOperatorPlane } from '../session/position.ts';
import { plane, useOpenPlaces } from '../session/session.ts';
import { tenantsWith } from '../tenants/queries.ts';
import { useWords } from '../words/words.tsx';

interface TenantFieldProps {
  /** The key of the operators' place. */
  readonly operators: string;
  readonly value: string;
  readonly onChange: (name: string) => void;
}

export function TenantField({ operators, value, onChange }: TenantFieldProps) {
  const { acting: words } = useWords();
  const known = useKnown(operators);
  return (
    <Autocomplete
      label={words.tenant}
      data={[...known]}
      value={value}
      onChange={onChange}
      // In the page's landmark: what is offered stands beside its field.
      comboboxProps={{ transitionProps: { duration: 0 }, withinPortal: false }}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      maw={420}
      required
    />
  );
}

/** Names of tenants with a login in this page; where there is one at the control plane, those that its list begins with, too. */
function useKnown(operators: string): readonly string[] {
  const open = useOpenPlaces();
  const product = operators.slice(0, operators.lastIndexOf(':') + 1);
  const listed = useInfiniteQuery({ ...tenantsWith(product), enabled: open.includes(plane) }, plane.queries);
  const keys = [
    ...open.map(({ key }) => key),
    ...(listed.data?.pages ?? []).flatMap(({ tenants }) =>
      tenants.filter(({ state }) => state === 'active').map(({ key }) => key),
    ),
  ];
  const own = keys.filter((key) => key.startsWith(product) && !isOperatorPlane(key));
  return [...new Set(own.map((key) => key.slice(product.length)))].toSorted();
}
