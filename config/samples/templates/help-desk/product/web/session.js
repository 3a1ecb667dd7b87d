// @ts-check
/** Logging in, signing up, and what the mailed link of a sign-up leads to. */
import { copyOf, find, onSubmit, say } from './dom.js';
import { skep } from './skep.js';

/** What `main` shows to somebody who is not logged in. */
export function showEntrance() {
  const { pathname, search, hash } = location;
  const token = pathname === '/welcome' ? new URLSearchParams(search).get('token') : null;
  const form = token !== null ? welcome(token) : hash === '#sign-up' ? signUp() : logIn();
  find('main').replaceChildren(form);
  find('input', form).focus();
}

function logIn() {
  const form = /** @type {HTMLFormElement} */ (copyOf('log-in'));
  onSubmit(form, ({ login = '', password = '' }) => skep.auth.login({ login, password }));
  return form;
}

function signUp() {
  const form = /** @type {HTMLFormElement} */ (copyOf('sign-up'));
  onSubmit(form, async ({ email }) => {
    await skep.transport.send({ method: 'POST', path: '/auth/sign-up', body: { email }, bare: true });
    form.replaceChildren(find('h1', form));
    form.append(Object.assign(document.createElement('p'), { textContent: `A mail is on its way to ${email}.` }));
  });
  return form;
}

/** @param {string} token */
function welcome(token) {
  const form = /** @type {HTMLFormElement} */ (copyOf('welcome'));
  onSubmit(form, async ({ password }) => {
    await skep.auth.enter({ method: 'POST', path: '/auth/sign-up/confirm', body: { token, password } });
    // The link counts once: neither the address bar nor the history keeps it.
    history.replaceState(null, '', '/');
  });
  return form;
}

/** Who is logged in, in the header, with the button that ends it. @param {string | null} email */
export function showUser(email) {
  say(find('#who'), email);
  find('#log-out').hidden = email === null;
}

find('#log-out').addEventListener('click', () => {
  skep.auth.logout().catch((error) => say(find('#message'), String(error.message)));
});
