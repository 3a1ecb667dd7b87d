/** A product without content is told how it gets some. */
import { Text } from '@mantine/core';
import { Panel } from '../parts/panel.tsx';
import { Sample } from '../parts/sample.tsx';
import { useWords } from '../words/words.tsx';

const TYPE_FILE = `entities:
  post:
    fields:
      title: { type: string, required: true, localized: true }
      text: { type: text, localized: true }`;

const APP_FILE = `name: blog
contenttypes: [blog.post]
locale: { default: en, supported: [en, de] }
access:
  read: { language: cel, rule: 'true' }
  create: &editors { language: cel, rule: "'tenant_admin' in principal.roles" }
  update: *editors
  delete: *editors
  preview: *editors`;

export function NoApps() {
  const { content: words } = useWords();
  return (
    <Panel title={words.none}>
      <Text maw="72ch">{words.noneHow}</Text>
      <Sample label="content/types/blog.post.yaml" text={TYPE_FILE} />
      <Sample label="content/apps/blog/app.yaml" text={APP_FILE} />
      <Text maw="72ch" mt="sm" c="dimmed" size="sm">
        {words.noneThen}
      </Text>
    </Panel>
  );
}
