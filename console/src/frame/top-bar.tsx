/** Where the reader is, colours, language, the end of the login. The place is always visible: what is done in it may concern every tenant. */
import { ActionIcon, Badge, Group, Menu, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconLanguage, IconLogout, IconMoon, IconSun } from '@tabler/icons-react';
import { skep } from '../session/session.ts';
import { LANGUAGES, nameOf, useLanguage } from '../words/words.tsx';

export function TopBar() {
  const { words, language, speak } = useLanguage();
  const { setColorScheme } = useMantineColorScheme();
  const colours = useComputedColorScheme('light');
  return (
    <Group gap="xs" wrap="nowrap" flex={1} justify="space-between">
      <Badge
        variant="outline"
        color="gray"
        radius="sm"
        tt="none"
        c="var(--mantine-color-text)"
        aria-label={`${words.place}: ${words.controlPlane}`}
        role="img"
      >
        {words.controlPlane}
      </Badge>
      <Group gap={4} wrap="nowrap">
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={words.colours}
          onClick={() => setColorScheme(colours === 'dark' ? 'light' : 'dark')}
        >
          {colours === 'dark' ? <IconSun size={18} /> : <IconMoon size={18} />}
        </ActionIcon>
        <Menu position="bottom-end" transitionProps={{ duration: 120 }}>
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" aria-label={words.languages}>
              <IconLanguage size={18} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {LANGUAGES.map((one) => (
              <Menu.Item key={one} lang={one} onClick={() => speak(one)} aria-current={one === language}>
                {nameOf(one)}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={words.logOut}
          onClick={() => void skep.auth.logout().catch(() => undefined)}
        >
          <IconLogout size={18} />
        </ActionIcon>
      </Group>
    </Group>
  );
}
