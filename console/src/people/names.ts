/** What a person is called on a page, and what is typed before something dangerous is done. Pure. */
import type { Person } from './shapes.ts';

type Named = Pick<Person, 'id' | 'email' | 'firstname' | 'lastname'>;

/** Empty where neither name is known. */
export const fullName = ({ firstname, lastname }: Named): string =>
  [firstname, lastname].filter((part) => part !== null && part !== '').join(' ');

/** The address; a guest has none, and goes by the id. */
export const loginOf = ({ id, email }: Named): string => (email === '' ? id : email);

/** What is typed before something is done to a person: the login, without the case of its letters. */
export function namedBy(person: Named) {
  const name = loginOf(person);
  return { name, isTyped: (typed: string): boolean => typed.trim().toLowerCase() === name.toLowerCase() };
}
