/** `channels` of `product.yaml`: what members of a channel tell each other, which is kept nowhere. Source: docs/contract/channels.md §1. */
import * as z from 'zod';
import { suggestion } from '#config/values/suggest.ts';
import { limits } from '../limits.ts';
import { problemAt, type Path, type Problem } from '../problem.ts';
import * as kit from '../schema-kit.ts';
import type { Tree } from '../tree.ts';
import { notGrantable, type RoleCatalogue } from './roles-section.ts';

/** Callers that may do something in a channel: each of these kinds. */
export interface ChannelCallers {
  /** Every user of the tenant. */
  readonly users?: boolean;
  /** Users with one of these roles. */
  readonly roles?: readonly string[];
  /** Service tokens that count at the tenant. */
  readonly services?: boolean;
}

export interface ChannelDefinition {
  /** Its key is the id of a row of this entity, which its callers must be able to read. */
  readonly entity?: string;
  /** Whether a key in the request says which of many such channels is meant; one with an entity has it by that. */
  readonly keyed?: boolean;
  readonly join: ChannelCallers;
  /** Absent where no caller sends messages. */
  readonly send?: ChannelCallers;
  /** Whether members are told of each other. */
  readonly presence?: boolean;
  /** Bytes of a payload. */
  readonly bytes?: number;
}

export type ChannelDefinitions = Readonly<Record<string, ChannelDefinition>>;

const CHANNEL = /^[a-z0-9][a-z0-9_-]{0,62}$/;

const callers = kit.entry({
  users: kit.yesNo().optional().meta({ about: 'every user of the tenant may' }),
  roles: kit
    .list(kit.text('the name of a role', 'dispatcher'), 'roles')
    .optional()
    .meta({ about: 'users with one of these roles may' }),
  services: kit.yesNo().optional().meta({ about: 'service tokens that count at the tenant may' }),
});

const channel = kit.entry({
  entity: kit.text('the name of an entity', 'ticket').optional().meta({
    about: 'its key is the id of a row of this entity: only callers that may read the row join it and send to it',
  }),
  keyed: kit.yesNo().optional().meta({
    about: 'requests name a key, and those of one key meet; a channel with an entity has keys without it',
  }),
  join: callers.meta({ about: 'which callers join it, and are told what is sent' }),
  send: callers.optional().meta({ about: 'which callers send messages, joined or not; none unless set' }),
  presence: kit.yesNo().optional().meta({ about: 'members are told of each other' }),
  bytes: kit
    .whole(1, limits.channels.messageBytesMax)
    .optional()
    .meta({ about: `the most bytes of a payload as JSON; ${limits.channels.messageBytes} unless set` }),
});

export const channelsSection = z
  .record(z.string().regex(CHANNEL, 'use lower-case letters, digits, _ and -, at most 63 characters'), channel)
  .refine((channels) => Object.keys(channels).length <= limits.channels.channelsMax)
  .meta({
    description: `a map of channel names to their rules, at most ${limits.channels.channelsMax}`,
    example: '{ lobby: { join: { users: true }, presence: true } }',
  });

interface Known {
  /** Names of the declared entities. */
  readonly names: readonly string[];
  readonly catalogue: RoleCatalogue | undefined;
}

/** Channels that no caller could join or that do nothing, roles that no user can have, entities that are not there. `tree`: that of `product.yaml`. */
export function channelProblems(channels: ChannelDefinitions | undefined, tree: Tree, known: Known): Problem[] {
  return Object.entries(channels ?? {}).flatMap(([name, one]) => {
    const at = ['channels', name];
    return [
      ...callerProblems(one.join, tree, [...at, 'join'], known),
      ...(one.send === undefined ? [] : callerProblems(one.send, tree, [...at, 'send'], known)),
      ...entityProblems(one, tree, at, known),
      ...useProblems(one, tree, at),
    ];
  });
}

function callerProblems(one: ChannelCallers, tree: Tree, at: Path, { catalogue }: Known): Problem[] {
  const { users, services, roles = [] } = one;
  if (users !== true && services !== true && roles.length === 0) {
    const mend = 'write `users: true`, `services: true` or `roles`';
    return [problemAt(tree.placeOf(at, 'key'), at, 'it admits no caller', mend)];
  }
  return roles.flatMap((role, n) => {
    const why = notGrantable(catalogue, role);
    const path = [...at, 'roles', n];
    return why === null ? [] : [problemAt(tree.placeOf(path, 'value'), path, why.message, why.mend)];
  });
}

function entityProblems({ entity, keyed }: ChannelDefinition, tree: Tree, at: Path, { names }: Known): Problem[] {
  if (entity === undefined) return [];
  const problems: Problem[] = [];
  const say = (member: string, message: string, mend: string): void => {
    const path = [...at, member];
    problems.push(problemAt(tree.placeOf(path, 'value'), path, message, mend));
  };
  if (!names.includes(entity)) say('entity', `there is no entity "${entity}"`, suggestion(entity, names));
  if (keyed === false) say('keyed', 'a channel of an entity has keys', 'remove `keyed`, or `entity`');
  return problems;
}

function useProblems({ send, presence }: ChannelDefinition, tree: Tree, at: Path): Problem[] {
  if (send !== undefined || presence === true) return [];
  const mend = 'write `send` with the callers that may, or `presence: true`';
  return [problemAt(tree.placeOf(at, 'key'), at, 'nothing is ever told in this channel', mend)];
}
