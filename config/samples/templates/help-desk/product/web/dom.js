// @ts-check
/** Elements of the page. What people wrote is always textContent: it is shown as text, and cannot run. */
import { isSkepError } from './skep-client.js';

/**
 * The first element that a selector finds, which is there.
 * @template {HTMLElement} [E=HTMLElement]
 * @param {string} selector
 * @param {ParentNode} [within]
 */
export const find = (selector, within = document) =>
  /** @type {E} */ (/** @type {unknown} */ (within.querySelector(selector)));

/** A copy of a template of index.html. @param {string} id */
export function copyOf(id) {
  const { content } = /** @type {HTMLTemplateElement} */ (find(`template#${id}`));
  return /** @type {HTMLElement} */ (/** @type {Element} */ (content.firstElementChild).cloneNode(true));
}

/** Fills an element's text, and hides it where there is none. @param {HTMLElement} element @param {string | null} text */
export function say(element, text) {
  if (element.textContent !== (text ?? '')) element.textContent = text ?? '';
  element.hidden = !text;
}

const times = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'short' });

/** @param {HTMLElement} within @param {string | null} at */
export function sayTime(within, at) {
  const time = /** @type {HTMLTimeElement} */ (find('time', within));
  time.dateTime = at ?? '';
  time.textContent = at === null ? '' : times.format(new Date(at));
}

/**
 * Shows one child for each row, in their order. Children of rows that stay are kept, and with them focus and selection.
 * @template {{ readonly id: string }} R
 * @param {HTMLElement} list
 * @param {readonly R[]} rows
 * @param {(row: R) => HTMLElement} make
 * @param {(child: HTMLElement, row: R) => void} fill
 */
export function showRows(list, rows, make, fill) {
  const before = new Map([...list.children].map((child) => [/** @type {HTMLElement} */ (child).dataset['id'], child]));
  rows.forEach((row, at) => {
    const child = /** @type {HTMLElement} */ (before.get(row.id) ?? make(row));
    before.delete(row.id);
    child.dataset['id'] = row.id;
    fill(child, row);
    const there = list.children[at];
    if (there !== child) list.insertBefore(child, there ?? null);
  });
  for (const gone of before.values()) gone.remove();
}

/**
 * Sends a form's texts, once at a time. The node's faults are shown beside their fields, anything else in the form's own `.fault`.
 * @param {HTMLFormElement} form
 * @param {(texts: Record<string, string>) => Promise<void>} send
 */
export function onSubmit(form, send) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const texts = [...new FormData(form)].map(([name, text]) => [name, typeof text === 'string' ? text : text.name]);
    void attempt(form, () => send(Object.fromEntries(texts)));
  });
}

/** Does one thing at a time, and shows why it was refused. @param {HTMLElement} within @param {() => Promise<unknown>} work */
export async function attempt(within, work) {
  if (within.hasAttribute('aria-busy')) return;
  within.setAttribute('aria-busy', 'true');
  showFaults(within, null);
  await work().catch((error) => showFaults(within, error));
  within.removeAttribute('aria-busy');
}

/** @param {HTMLElement} form @param {unknown} error null for none */
export function showFaults(form, error) {
  form.querySelectorAll('label .fault').forEach((fault) => fault.remove());
  form.querySelectorAll('[aria-invalid]').forEach((field) => field.removeAttribute('aria-invalid'));
  const own = find(':scope > .fault', form);
  own.textContent = '';
  if (error === null) return;
  const { fields = {} } = isSkepError(error)
    ? /** @type {{ fields?: Record<string, string[]> }} */ (error.details)
    : {};
  const named = Object.entries(fields).filter(([name, faults]) => showFault(form, name, faults));
  find('[aria-invalid]', form)?.focus();
  if (named.length === 0) own.textContent = messageOf(error);
}

/** Whether the form has the field. @param {HTMLElement} form @param {string} name @param {string[]} faults */
function showFault(form, name, faults) {
  const field = /** @type {HTMLElement | null} */ (form.querySelector(`[name="${CSS.escape(name)}"]`));
  if (field === null) return false;
  field.setAttribute('aria-invalid', 'true');
  field.after(Object.assign(document.createElement('span'), { className: 'fault', textContent: faults.join('; ') }));
  return true;
}

/** @param {unknown} error */
const messageOf = (error) =>
  isSkepError(error, 'client.network')
    ? 'The help desk cannot be reached. Try again in a moment.'
    : error instanceof Error
      ? error.message
      : String(error);
