/** What is said where a request was refused; where the login lacks a role, the page names the role that it takes. */
import { Text } from '@mantine/core';
import { isSkepError } from '@skep/client';
import { Fault } from '../parts/fault.tsx';
import { useWords } from '../words/words.tsx';

export function Denied({ error, again }: { readonly error: Error; readonly again: () => void }) {
  const { upkeep: words } = useWords();
  if (isSkepError(error, 'v2.requires_admin')) return <Text maw="72ch">{words.administratorsOnly}</Text>;
  if (isSkepError(error, 'v2.requires_superadmin'))
    return (
      <Text maw="72ch" role="alert">
        {words.superadminsOnly}
      </Text>
    );
  return <Fault error={error} again={again} />;
}
