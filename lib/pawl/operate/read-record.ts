import { type ClaimRecord, isLeftAlone, understood } from '../rules/record.ts';
import type { Desk } from './desk.ts';
import { inChunks } from './in-chunks.ts';

/** `foreign`: another program, or a later version of pawl, wrote what is under this id. Nothing is decided upon it. */
export type RecordRead =
  | { readonly kind: 'read'; readonly record: ClaimRecord | undefined }
  | { readonly kind: 'foreign' };

/**
 * For work on many claims: a record of a later version must not end the work on the others.
 *
 * @param id of the record, if it is known
 * @throws the store's error
 */
export async function readRecord({ store }: Pick<Desk, 'store'>, id: string | undefined): Promise<RecordRead> {
  if (id === undefined) return { kind: 'read', record: undefined };
  try {
    return { kind: 'read', record: understood(await store.read(id)) };
  } catch (error) {
    if (isLeftAlone(error)) return { kind: 'foreign' };
    throw error;
  }
}

/** How many claims are read at the same time. */
const readsAtOnce = 100;

/** Each of the letters, in their order, with what is recorded of its claim. @throws the store's error */
export async function* withClaims<Letter extends { readonly claimId?: string | undefined }>(
  desk: Desk,
  letters: Iterable<Letter>,
): AsyncGenerator<{ readonly letter: Letter; readonly claim: RecordRead }, void, undefined> {
  for await (const chunk of inChunks(letters, readsAtOnce)) {
    yield* await Promise.all(chunk.map(async (letter) => ({ letter, claim: await readRecord(desk, letter.claimId) })));
  }
}
