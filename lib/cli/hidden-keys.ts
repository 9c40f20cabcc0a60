import type { Values } from './option.ts';
import type { account } from './options.ts';

/** What is said where a key finds no claim: the hash of a hidden key cannot be told from a key that there never was. */
export function perhapsHidden({ 'key-secret': secret }: Pick<Values<typeof account>, 'key-secret'>): string {
  return secret === undefined
    ? 'If the consumer hides its keys, add --key-secret.'
    : 'If the secret was changed, look with the one of before as well.';
}
