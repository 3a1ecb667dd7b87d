/** A role that an operator gives is one word. `a,b` would be one role of that name, while its operator meant a list of two: no rule would match it. */

const ROLE = /^[^\s,\p{C}]{1,128}$/u;

/** How a wrong one is mended. */
export const NO_ROLE =
  'a role is one word of up to 128 characters without spaces and commas; name several as --role a b';

export function isRole(text: string): boolean {
  return ROLE.test(text);
}
