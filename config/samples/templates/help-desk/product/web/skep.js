// @ts-check
/**
 * The node as this page calls it. `skep types` writes schema.ts from the entities beside this folder, so that a field that does not exist is a compile error.
 * @import { Schema } from '../../schema.ts'
 * @import { Client, Row, Stateflow } from './skep-client.js'
 */
import { createClient, shareChanges, stateflow } from './skep-client.js';

/** @typedef {Row<Schema, 'ticket'>} Ticket */
/** @typedef {Row<Schema, 'comment'>} Comment */
/** @typedef {Parameters<Stateflow<Schema, 'ticket.status'>['fire']>[1]} TicketEvent */
/** @typedef {{ readonly id: string, readonly email: string, readonly roles: readonly string[] }} User */

/** Logins are in cookies that no script can read. All tabs share one connection for what changes. @type {Client<Schema>} */
export const skep = createClient({ site: location.origin, cookies: true });
shareChanges(skep);

export const ticketFlow = stateflow(skep, 'ticket.status');

/** Who is logged in. @returns {Promise<User>} */
export const whoAmI = async () =>
  /** @type {User} */ ((await skep.transport.send({ method: 'GET', path: '/auth/me' })).json);

/** @param {User} user */
export const isAgent = ({ roles }) => roles.includes('agent') || roles.includes('tenant_admin');
