/** Where the reader is, in a colour that tells production from development, and the way to other places with a login. */
import { Badge, Menu, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconPlus } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { homeOf, isProduction, nameOf } from '../session/position.ts';
import { plane, useOpenPlaces, type Place } from '../session/session.ts';
import { useWords } from '../words/words.tsx';

export function PlaceMenu({ place }: { readonly place: Place }) {
  const words = useWords();
  const navigate = useNavigate();
  const open = useOpenPlaces();
  const name = (one: Place): string => (one === plane ? words.controlPlane : nameOf(one.key));
  return (
    <Menu position="bottom-start" transitionProps={{ duration: 120 }}>
      <Menu.Target>
        <UnstyledButton aria-label={`${words.place}: ${name(place)}`} className="place">
          <Badge
            variant={isProduction(place.key) ? 'filled' : 'outline'}
            color={colourOf(place)}
            radius="sm"
            tt="none"
            {...(isProduction(place.key) ? {} : { c: 'var(--mantine-color-text)' })}
            rightSection={<IconChevronDown size={12} aria-hidden />}
          >
            {name(place)}
          </Badge>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {open.map((one) => (
          <Menu.Item key={one.key} aria-current={one === place} onClick={() => void navigate({ to: homeOf(one.key) })}>
            {name(one)}
          </Menu.Item>
        ))}
        {!open.includes(plane) && (
          <Menu.Item onClick={() => void navigate({ to: homeOf(plane.key) })}>{words.places.atPlane}</Menu.Item>
        )}
        <Menu.Item leftSection={<IconPlus size={14} aria-hidden />} onClick={() => void navigate({ to: '/log-in' })}>
          {words.places.atTenant}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function colourOf(place: Place): string {
  if (place === plane) return 'gray';
  return isProduction(place.key) ? 'red.9' : 'teal';
}
