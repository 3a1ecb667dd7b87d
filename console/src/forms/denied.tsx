/** What a request for submissions was refused with; a login that administers nothing is told so in a sentence. */
import { Text } from '@mantine/core';
import { isSkepError } from '@skep/client';
import { Fault } from '../parts/fault.tsx';
import { useWords } from '../words/words.tsx';

export function Denied({ error, again }: { readonly error: Error; readonly again: () => void }) {
  const { forms: words } = useWords();
  if (isSkepError(error, 'v2.requires_admin')) return <Text maw="72ch">{words.administratorsOnly}</Text>;
  return <Fault error={error} again={again} />;
}
