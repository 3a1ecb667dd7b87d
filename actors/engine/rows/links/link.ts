/**
 * Links of an entity's rows with rows of another (docs/contract/data-definitions.md §1.14). Their pairs are rows of an entity that the loader
 * made (config/definitions/link.ts), with a reference to each side. A link is seen from both sides, and written from the one that declares it.
 */
import { linkBack, PAIR_SOURCE, PAIR_TARGET } from '#config/definitions/link.ts';
import { NO_LINKS, type EntityModel, type Link, type Links, type See } from '../model.ts';
import type { Session } from '../session.ts';

/** Gives each side the links of all pairs, once all references are known. A link of which an end is not served is not served either. */
export function linkPairs(models: Iterable<EntityModel>): void {
  const all = [...models];
  for (const model of all) model.links = NO_LINKS;
  for (const { definition, references } of all) {
    const { pairsOf } = definition;
    const source = references.find(({ column }) => column.name === PAIR_SOURCE);
    const target = references.find(({ column }) => column.name === PAIR_TARGET);
    if (pairsOf === undefined || source === undefined || target === undefined) continue;
    const common = { owner: source.to, declared: pairsOf.link };
    add(source.to, { ...common, name: pairsOf.link, by: source, over: target });
    add(target.to, { ...common, name: linkBack(source.to.name, pairsOf.link), by: target, over: source });
  }
}

function add(model: EntityModel, link: Link): void {
  model.links = new Map([...model.links, [link.name, link]]);
}

/** Whether the link is seen from the side that declares it: there it is written. */
export const isOwn = ({ name, declared, by, owner }: Link): boolean => by.to === owner && name === declared;

/** Whether the caller reads the link: its roles hold on both sides. `see`: entities as the caller sees them. */
export function isRead({ owner, declared }: Link, see: See): boolean {
  return see(owner).sight?.unread.has(declared) !== true;
}

/** Whether writes of an entity, as a caller sees it, take a link. */
export function isWritten({ sight }: EntityModel, link: Link): boolean {
  return isOwn(link) && sight?.unwritten.has(link.declared) !== true;
}

/** The links that a caller changes in rows of an entity, as the caller sees it. */
export function linksWritten(view: EntityModel): Link[] {
  return [...view.links.values()].filter((link) => isWritten(view, link));
}

/** The links of an entity that the caller reads. */
export function linksRead({ links }: EntityModel, { principal }: Session): Links {
  if (links.size === 0) return links;
  return new Map([...links].filter(([, link]) => isRead(link, (model) => model.seenBy(principal))));
}

/** The link that rows of an entity show under a name. Undefined for one that the caller does not read. */
export function linkOf(model: EntityModel, name: string, see: See): Link | undefined {
  const link = model.links.get(name);
  return link !== undefined && isRead(link, see) ? link : undefined;
}
