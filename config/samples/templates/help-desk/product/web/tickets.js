// @ts-check
/**
 * The list of tickets: all of them for agents, their own for requesters. The rules of the entity decide that, not this page.
 * @import { Ticket } from './skep.js'
 */
import { copyOf, find, onSubmit, say, sayTime, showRows } from './dom.js';
import { keepShown } from './live.js';
import { skep } from './skep.js';

/** What people read of a status. @type {Record<NonNullable<Ticket['status']>, string>} */
const STATES = { open: 'open', in_progress: 'in progress', solved: 'solved', closed: 'closed' };

/** @param {HTMLElement} within @param {Pick<Ticket, 'status' | 'priority'>} ticket */
export function sayState(within, { status, priority }) {
  const state = find('.state', within);
  say(state, status && STATES[status]);
  state.dataset['state'] = status ?? '';
  say(find('.priority', within), priority === 'normal' ? null : priority && `${priority} priority`);
}

/**
 * Shows the tickets of the chosen status, the newest first, and follows them until the signal is aborted.
 * @param {AbortSignal} signal
 * @param {(isLive: boolean) => void} onLive
 * @param {(error: unknown) => void} onEnd
 */
export function showTickets(signal, onLive, onEnd) {
  const filter = /** @type {HTMLFormElement} */ (find('#filter'));
  let chosen = new AbortController();
  const begin = () => {
    chosen.abort();
    chosen = new AbortController();
    const both = AbortSignal.any([signal, chosen.signal]);
    followTickets(statusOf(filter), both, onLive).catch((error) => both.aborted || onEnd(error));
  };
  filter.addEventListener('change', begin);
  begin();
}

/** @param {HTMLFormElement} filter */
const statusOf = (filter) =>
  /** @type {NonNullable<Ticket['status']> | ''} */ (new FormData(filter).get('status') ?? '');

/**
 * @param {ReturnType<typeof statusOf>} status every one where it is empty
 * @param {AbortSignal} signal
 * @param {(isLive: boolean) => void} onLive
 */
async function followTickets(status, signal, onLive) {
  const list = find('#tickets');
  list.setAttribute('aria-busy', 'true');
  const changes = skep.from('ticket').changes({
    snapshot: true,
    fields: ['id', 'subject', 'status', 'priority', 'created_at'],
    ...(status && { where: { status } }),
    signal,
    onLive: (isLive) => signal.aborted || onLive(isLive),
  });
  await keepShown(changes, (tickets) => {
    if (signal.aborted) return;
    showRows(list, tickets.toReversed(), () => copyOf('ticket-line'), fillLine);
    find('nav .empty').hidden = tickets.length > 0;
    list.removeAttribute('aria-busy');
    markCurrent();
  });
}

/** @param {HTMLElement} line @param {Pick<Ticket, 'id' | 'subject' | 'status' | 'priority' | 'created_at'>} ticket */
function fillLine(line, ticket) {
  find('a', line).setAttribute('href', `#${ticket.id}`);
  say(find('strong', line), ticket.subject);
  sayState(line, ticket);
  sayTime(line, ticket.created_at);
}

/** The line of the ticket that is open. */
export function markCurrent() {
  for (const link of document.querySelectorAll('#tickets a'))
    link.setAttribute('aria-current', String(link.getAttribute('href') === location.hash));
}

/** The form of a new ticket. */
export function newTicket() {
  const form = /** @type {HTMLFormElement} */ (copyOf('new'));
  onSubmit(form, async ({ subject = '', text }) => {
    const { id } = await skep.from('ticket').create({ subject, text: text || null });
    location.hash = id;
  });
  return form;
}
