/** Where the reader is, colours, language, the end of the login. The place is always visible: what is done in it may concern every tenant. */
import { ActionIcon, Group, Menu, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconLanguage, IconLogout, IconMoon, IconSun, IconUserCircle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { isOperatorPlane } from '../session/position.ts';
import { plane, type Place } from '../session/session.ts';
import { LANGUAGES, nameOf, useLanguage } from '../words/words.tsx';
import { logOut } from '../acting/acting.ts';
import { tenantPath } from './areas.ts';
import { Palette } from './palette.tsx';
import { PlaceMenu } from './place-menu.tsx';

export function TopBar({ place }: { readonly place: Place }) {
  const { words, language, speak } = useLanguage();
  const { setColorScheme } = useMantineColorScheme();
  const colours = useComputedColorScheme('light');
  return (
    <Group gap="xs" wrap="nowrap" flex={1} justify="space-between">
      <PlaceMenu place={place} />
      <Group gap={4} wrap="nowrap">
        <Palette place={place} />
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
        {place !== plane && !isOperatorPlane(place.key) && (
          <ActionIcon
            component={Link}
            to={tenantPath(place.key, '/me')}
            variant="subtle"
            color="gray"
            aria-label={words.me.title}
          >
            <IconUserCircle size={18} />
          </ActionIcon>
        )}
        <ActionIcon variant="subtle" color="gray" aria-label={words.logOut} onClick={() => void logOut(place)}>
          <IconLogout size={18} />
        </ActionIcon>
      </Group>
    </Group>
  );
}
