/** The frame around every page: the rail on the left, the bar above, the page. */
import { AppShell, Burger, Group, NavLink, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { ActingBanner, LeftNote } from '../acting/banner.tsx';
import { useWords } from '../words/words.tsx';
import type { Place } from '../session/session.ts';
import { areasAt } from './areas.ts';
import { TopBar } from './top-bar.tsx';

export function Shell({ place }: { readonly place: Place }) {
  const words = useWords();
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  const areas = areasAt(place);
  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 200, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <a className="skip" href="#page">
        {words.skip}
      </a>
      <AppShell.Header px="sm">
        <Group h="100%" gap="sm" wrap="nowrap">
          <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={words.menu} />
          <Text fw={700}>Skep</Text>
          <TopBar place={place} />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label={words.menu}>
        {areas.map(({ path, icon: Icon, label }) => (
          <NavLink
            key={path}
            component={Link}
            to={path}
            label={label(words)}
            leftSection={<Icon size={18} aria-hidden />}
            active={pathname.startsWith(path)}
            color="gray"
            onClick={close}
          />
        ))}
      </AppShell.Navbar>
      <AppShell.Main id="page" tabIndex={-1}>
        <LeftNote />
        <ActingBanner place={place} />
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}
