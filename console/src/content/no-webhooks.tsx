/** A product without webhooks of content is told how it gets one. */
import { Text } from '@mantine/core';
import { Panel } from '../parts/panel.tsx';
import { Sample } from '../parts/sample.tsx';
import { useWords } from '../words/words.tsx';

const LINES = `webhooks:
  - name: site
    url: https://example.com/stories
    events: [AfterContentUpdateSuccess]   # all events without it
    secret: \${STORIES_WEBHOOK_SECRET}`;

export function NoWebhooks() {
  const { content: words } = useWords();
  return (
    <Panel title={words.noWebhooks}>
      <Text maw="72ch">{words.noWebhooksHow}</Text>
      <Sample label="content/apps/blog/app.yaml" text={LINES} />
      <Text maw="72ch" mt="sm" c="dimmed" size="sm">
        {words.noWebhooksThen}
      </Text>
    </Panel>
  );
}
