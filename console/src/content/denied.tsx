/** What a request about content was refused with; a login that administers nothing is told so in a sentence. */
import { Text } from '@mantine/core';
import { isSkepError } from '@skep/client';
import { Fault } from '../parts/fault.tsx';
import { useWords } from '../words/words.tsx';

export function Denied({ error, again }: { readonly error: Error; readonly again: () => void }) {
  const { content: words } = useWords();
  if (isSkepError(error, 'content.forbidden')) return <Text maw="72ch">{words.administratorsOnly}</Text>;
  if (isSkepError(error, 'content.app_not_found') || isSkepError(error, 'content.type_not_found'))
    return <Text maw="72ch">{words.noType}</Text>;
  return <Fault error={error} again={again} />;
}
