/** What the palette offers at a place: areas and their pages, entities that the login may read, other places, acts. */
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { logOut } from '../acting/acting.ts';
import { entityPath } from '../data/paths.ts';
import { schemaOf } from '../data/queries.ts';
import { homeOf, isOperatorPlane, nameOf } from '../session/position.ts';
import { plane, useOpenPlaces, type Place } from '../session/session.ts';
import type { Words } from '../words/en.ts';
import { LANGUAGES, nameOf as nameOfLanguage, useLanguage } from '../words/words.tsx';
import { areasAt, tenantPath } from './areas.ts';

export interface PaletteItem {
  /** Unlike that of every other item. */
  readonly id: string;
  readonly name: string;
  /** What it is, for people. */
  readonly kind: string;
  readonly run: () => void;
}

interface Target {
  readonly path: string;
  readonly name: string;
  readonly kind: string;
}

/** `isOpen`: whether the palette is; before that nothing is asked of the node. */
export function usePaletteItems(place: Place, isOpen: boolean): readonly PaletteItem[] {
  const { words, language, speak } = useLanguage();
  const { palette } = words;
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const other = useComputedColorScheme('light') === 'dark' ? 'light' : 'dark';
  const places = useOpenPlaces().filter((one) => one !== place);
  const schema = useQuery({ ...schemaOf(place), enabled: isOpen && place !== plane }, place.queries);
  const entities = (place === plane ? undefined : schema.data?.entities) ?? [];
  const targets: readonly Target[] = [
    ...pagesAt(place, words),
    ...entities.map(({ name }) => ({ path: entityPath(place.key, name), name, kind: palette.entity })),
    ...places.map(({ key }) => ({
      path: homeOf(key),
      name: key === plane.key ? words.controlPlane : nameOf(key),
      kind: palette.place,
    })),
    { path: '/log-in', name: words.places.elsewhere, kind: palette.act },
  ];
  const act = (id: string, name: string, run: () => void): PaletteItem => ({ id, name, kind: palette.act, run });
  return [
    ...targets.map(({ path, name, kind }) => ({ id: path, name, kind, run: () => void navigate({ to: path }) })),
    act('colours', palette[other], () => setColorScheme(other)),
    ...LANGUAGES.filter((one) => one !== language).map((one) => act(one, nameOfLanguage(one), () => speak(one))),
    act('log out', words.logOut, () => void logOut(place)),
  ];
}

/** Areas, and the pages of an area that have addresses of their own. */
function pagesAt(place: Place, words: Words): Target[] {
  const { content, operations, people, palette, scratch } = words;
  const kind = palette.area;
  const areas = areasAt(place).map(({ path, label }) => ({ path, name: label(words), kind }));
  if (isOperatorPlane(place.key)) return areas;
  if (place !== plane)
    return [
      ...areas,
      { path: tenantPath(place.key, '/content/webhooks'), name: content.webhooks, kind },
      { path: tenantPath(place.key, '/people/roles'), name: people.rolesTitle, kind },
      { path: tenantPath(place.key, '/people/add'), name: people.add, kind },
      { path: tenantPath(place.key, '/people/invitations'), name: people.invitations, kind },
      { path: tenantPath(place.key, '/scratchpad/expression'), name: scratch.expression, kind },
      { path: tenantPath(place.key, '/scratchpad/rest'), name: scratch.rest, kind },
      { path: tenantPath(place.key, '/me'), name: words.me.title, kind },
    ];
  return [
    ...areas,
    { path: '/operations/hour', name: operations.hour, kind },
    { path: '/operations/load', name: operations.load, kind },
    { path: '/operations/slow', name: operations.slow, kind },
    { path: '/operations/buckets', name: operations.rates, kind },
    { path: '/operations/cluster', name: operations.cluster, kind },
    { path: '/operations/backups', name: operations.backups, kind },
    { path: '/operations/configuration', name: operations.configuration, kind },
    { path: '/operations/logs', name: operations.logs, kind },
  ];
}

/** What searches for a text that was typed. */
export function searchFor(place: Place, text: string, words: Words, go: (path: string) => void): PaletteItem[] {
  const { palette } = words;
  if (text === '') return [];
  const query = new URLSearchParams({ q: text }).toString();
  const [path, name] =
    place === plane
      ? [`/tenants?${query}`, palette.findTenant(text)]
      : [`${tenantPath(place.key, '/people')}?${query}`, palette.findPerson(text)];
  return [{ id: 'search', name, kind: palette.search, run: () => go(path) }];
}
