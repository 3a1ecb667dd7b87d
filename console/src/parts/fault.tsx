/** What a request was refused with: the message, the code and the request's id, by which the node's log is searched. */
import { Alert, Button, Text } from '@mantine/core';
import { isSkepError } from '@skep/client';
import { useWords } from '../words/words.tsx';
import './fault.css';

export function Fault({ error, again }: { readonly error: Error; readonly again: () => void }) {
  const words = useWords();
  return (
    <Alert color="red" variant="outline" role="alert" mb="md">
      <Text c="var(--mantine-color-text)" className="said">
        {error.message}
      </Text>
      {isSkepError(error) && (
        <Text c="dimmed" size="sm" className="mono">
          {words.code}: {error.code}
          {error.requestId !== null && ` · ${words.request}: ${error.requestId}`}
        </Text>
      )}
      <Button variant="default" size="xs" mt="xs" onClick={again}>
        {words.again}
      </Button>
    </Alert>
  );
}
