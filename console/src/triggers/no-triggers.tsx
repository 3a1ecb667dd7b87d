/** A product without triggers is told how it gets one. */
import { Text } from '@mantine/core';
import { Panel } from '../parts/panel.tsx';
import { Sample } from '../parts/sample.tsx';
import { useWords } from '../words/words.tsx';

const TRIGGER_FILE = `entity: order          # an entity of the product
events: [created, updated]
when: row.state == "paid"
fields: [number, total]
webhook:
  url: https://example.com/orders
  secret: \${ORDER_WEBHOOK_SECRET}`;

export function NoTriggers() {
  const { triggers: words } = useWords();
  return (
    <Panel title={words.none}>
      <Text maw="72ch">{words.noneHow}</Text>
      <Sample label="triggers/paid.yaml" text={TRIGGER_FILE} />
      <Text maw="72ch" mt="sm" c="dimmed" size="sm">
        {words.noneThen}
      </Text>
    </Panel>
  );
}
