/** Which licences the packages of a release may have, reviewed once each: a package with another one stops the release. */

/** SPDX identifiers. All let the code be used, changed and given on with their text (NOTICES.txt), and ask nothing of the code beside it. */
const FREE = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
];
/**
 * Of native parts that npm installs as files of their own, and that a user can exchange: that is what the LGPL asks for (section 4). None of it may be in a
 * bundle.
 */
const EXCHANGEABLE: Readonly<Record<string, readonly string[]>> = { 'LGPL-3.0-or-later': ['@img/sharp-'] };

/** Gives the expression. Throws where a part of it was not reviewed for this package. */
export function assertLicence(name: string, expression: string | undefined): string {
  if (expression === undefined) throw new Error(`the package ${name} names no licence`);
  for (const licence of expression.replace(/[()]/g, '').split(/ (?:AND|OR) /)) {
    const isFree = FREE.includes(licence);
    const isFile = EXCHANGEABLE[licence]?.some((prefix) => name.startsWith(prefix)) ?? false;
    if (!isFree && !isFile)
      throw new Error(`the package ${name} has the licence ${licence}, which runtime/cli/licences.ts does not have`);
  }
  return expression;
}
