/** A role that an operator gives is one word: an operator who writes `a,b` means two roles, and no rule would match a role of that name. */

const ROLE = /^[^\s,\p{C}]{1,128}$/u;

/** Says how to write a role, for the message of a refused one. */
export const NO_ROLE =
  'a role is one word of up to 128 characters without spaces and commas; name several as --role a b';

export function isRole(text: string): boolean {
  return ROLE.test(text);
}
