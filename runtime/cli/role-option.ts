/** `--role <role...>`, each a single word: `a,b` would be a role that no rule matches. */
import { InvalidArgumentError, Option } from 'commander';
import { isRole, NO_ROLE } from '#actors/identity/operator/role.ts';

export function roleOption(description: string): Option {
  return new Option('--role <role...>', description).argParser(
    (text: string, before: readonly string[] | undefined) => {
      if (!isRole(text)) throw new InvalidArgumentError(NO_ROLE);
      return [...(before ?? []), text];
    },
  );
}
