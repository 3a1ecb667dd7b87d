// @ts-check
/**
 * The help desk in a browser: plain modules, which the node serves as they lie here. `npx -p typescript tsc` checks them once `skep types` has written schema.ts.
 * @import { User } from './skep.js'
 */
import { copyOf, find, say } from './dom.js';
import { showEntrance, showUser } from './session.js';
import { isSkepError } from './skep-client.js';
import { skep, whoAmI } from './skep.js';
import { openTicket } from './ticket.js';
import { markCurrent, newTicket, showTickets } from './tickets.js';

/** Ends what runs for a login, and what runs for the ticket that is open. */
let login = new AbortController();
let place = new AbortController();
/** @type {User | null} */
let user = null;

/** Begins anew with every login and every end of one, in whichever tab it was. */
async function begin() {
  login.abort();
  place.abort();
  login = new AbortController();
  const { signal } = login;
  user = null;
  showUser(null);
  showConnection(null);
  if (!skep.auth.isLoggedIn) return showEntrance();
  const found = await whoAmI();
  if (signal.aborted) return;
  user = found;
  showUser(user.email);
  find('main').replaceChildren(copyOf('desk'));
  showConnection('connecting');
  showTickets(signal, (isLive) => showConnection(isLive ? 'live' : 'reconnecting'), failed);
  showPlace();
}

/** Beside the list: the ticket that the address names, or a new one. */
function showPlace() {
  place.abort();
  place = new AbortController();
  if (user === null) return showEntrance();
  const id = location.hash.slice(1);
  const isTicket = /^[0-9A-Z]{26}$/.test(id);
  const shown = isTicket ? openTicket(id, user, place.signal, failed) : id === 'new' ? newTicket() : copyOf('none');
  find('#place').replaceChildren(shown);
  find('.desk').classList.toggle('open', isTicket || id === 'new');
  say(find('#message'), null);
  if (id === 'new') find('input', shown).focus();
  else if (isTicket) find('h1', shown).focus({ preventScroll: true });
  markCurrent();
}

/** @param {'connecting' | 'live' | 'reconnecting' | null} state */
function showConnection(state) {
  const connection = find('#connection');
  connection.dataset['state'] = state ?? '';
  say(connection, state === null || state === 'live' ? state : `${state} …`);
}

/** What cannot go on by itself. The end of a login is no fault: it leads to the entrance. @param {unknown} error */
function failed(error) {
  if (isSkepError(error) && error.status === 401) return;
  if (isSkepError(error, 'client.stream_ended') && error.details.reason === 'login') return;
  showConnection(null);
  say(find('#message'), error instanceof Error ? error.message : String(error));
}

skep.auth.onChange(() => void begin().catch(failed));
addEventListener('hashchange', showPlace);
begin().catch(failed);
