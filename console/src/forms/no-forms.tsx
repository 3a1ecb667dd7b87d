/** A tenant that knows of no form is told how it gets one. */
import { Text } from '@mantine/core';
import { Panel } from '../parts/panel.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { Sample } from '../parts/sample.tsx';

const formFile = (key: string): string => `id: contact
tenant: ${key}
title: Contact us
fields:
  email: { type: email, required: true }
  message: { type: string, required: true, max_length: 5000 }
honeypot: website`;

const TRIGGER_FILE = `on: { form: contact }
row:
  role: contact          # a role of product.yaml
  entity: message        # an entity of the product
  fields: { email: email, text: message, submission: $id }`;

export function NoForms() {
  const { forms: words } = useWords();
  const { key } = usePlace();
  return (
    <Panel title={words.none}>
      <Text maw="72ch">{words.noneHow}</Text>
      <Sample label="forms/contact.yaml" text={formFile(key)} />
      <Text maw="72ch" mt="sm">
        {words.noneTrigger}
      </Text>
      <Sample label="triggers/contact.yaml" text={TRIGGER_FILE} />
      <Text maw="72ch" mt="sm" c="dimmed" size="sm">
        {words.noneThen}
      </Text>
    </Panel>
  );
}
