// @ts-check
/**
 * One ticket with its comments, as its reader may see and change it.
 * @import { Comment, Ticket, TicketEvent, User } from './skep.js'
 */
import { attempt, copyOf, find, onSubmit, say, sayTime, showFaults, showRows } from './dom.js';
import { keepShown } from './live.js';
import { isAgent, skep, ticketFlow } from './skep.js';
import { sayState } from './tickets.js';

/** What the buttons say. @type {Record<TicketEvent, string>} */
const EVENTS = {
  start: 'Start',
  withdraw: 'Withdraw',
  solve: 'Mark as solved',
  back: 'Back to open',
  close: 'Close',
  reopen: 'Reopen',
};

/**
 * The ticket with this id, which follows what others do until the signal is aborted.
 * @param {string} id
 * @param {User} user
 * @param {AbortSignal} signal
 * @param {(error: unknown) => void} onEnd
 */
export function openTicket(id, user, signal, onEnd) {
  const article = copyOf('ticket');
  /** The requester, to name the authors of comments. @type {Ticket | undefined} */
  let ticket;
  /** @type {readonly Comment[]} */
  let comments = [];
  const drawComments = () =>
    showRows(
      find('#comments', article),
      comments,
      () => copyOf('comment'),
      (item, comment) => {
        say(find('strong', item), nameOf(comment.author, ticket?.requester, user));
        say(find('.text', item), comment.text);
        find('.note', item).hidden = comment.internal !== true;
        item.classList.toggle('internal', comment.internal === true);
        sayTime(item, comment.created_at);
      },
    );
  const tickets = skep.from('ticket').changes({ snapshot: true, where: { id }, signal });
  const said = skep.from('comment').changes({ snapshot: true, where: { ticket_id: id }, signal });
  const ended = (/** @type {unknown} */ error) => void (signal.aborted || onEnd(error));
  keepShown(tickets, ([row]) => {
    if (signal.aborted) return;
    const isMoved = row?.status !== ticket?.status;
    ticket = row;
    fill(article, row, user);
    drawComments();
    if (row !== undefined && isMoved) showEvents(article, id, () => ticket?.status === row.status).catch(ended);
  }).catch(ended);
  keepShown(said, (rows) => {
    comments = rows;
    if (!signal.aborted) drawComments();
  }).catch(ended);
  /** @type {HTMLFormElement} */
  const form = find('form', article);
  onSubmit(form, async ({ text = '', internal }) => {
    // What is said comes back as a change, like what others say.
    await skep.from('comment').create({ ticket_id: id, text, internal: internal === 'on' });
    form.reset();
  });
  find('select', article).addEventListener('change', (event) => {
    const { value } = /** @type {HTMLSelectElement} */ (event.target);
    const priority = /** @type {NonNullable<Ticket['priority']>} */ (value);
    // Not lost while an event is on its way: each choice is sent.
    void skep
      .from('ticket')
      .update(id, { priority })
      .catch((error) => showFaults(article, error));
  });
  return article;
}

/** @param {HTMLElement} article @param {Ticket | undefined} ticket undefined where it is not there for the reader @param {User} user */
function fill(article, ticket, user) {
  article.classList.toggle('gone', ticket === undefined);
  say(find('h1', article), ticket?.subject ?? 'This ticket is not there.');
  if (ticket === undefined) return;
  sayState(article, ticket);
  find('.choice', article).hidden = !isAgent(user);
  find('.internal', article).hidden = !isAgent(user);
  if (isAgent(user)) find('.priority', article).hidden = true;
  /** @type {HTMLSelectElement} */
  const priority = find('select', article);
  priority.value = ticket.priority ?? 'normal';
  say(find('.asked', article), `asked by ${ticket.email ?? nameOf(ticket.requester, ticket.requester, user)}`);
  sayTime(article, ticket.created_at);
  say(find('.text', article), ticket.text);
}

/**
 * A button for each event that the stateflow lets this user fire now.
 * @param {HTMLElement} article
 * @param {string} id
 * @param {() => boolean} isStill whether the ticket has the status of before
 */
async function showEvents(article, id, isStill) {
  const { events } = await ticketFlow.look(id);
  if (!isStill()) return;
  const rows = events.map((event) => ({ id: event }));
  const make = (/** @type {{ id: TicketEvent }} */ { id: event }) => {
    const button = Object.assign(document.createElement('button'), { className: 'quiet', type: 'button' });
    button.addEventListener('click', () => {
      // The button goes with its status: the keyboard goes on from the heading.
      find('h1', article).focus({ preventScroll: true });
      void attempt(article, () => ticketFlow.fire(id, event));
    });
    return button;
  };
  showRows(find('.events', article), rows, make, (button, { id: event }) => say(button, EVENTS[event]));
}

/** Users are ids here: a page for more people would have a table of their names. @param {string | null} author @param {string | undefined} requester @param {User} user */
function nameOf(author, requester, user) {
  if (author === user.id) return 'you';
  return author === requester ? 'the requester' : 'an agent';
}
