/**
 * Whether a claim is in the share of the keys that pawl enforces. By its id alone, so that a key falls the same way in every function and every version; and a
 * larger share has all keys of a smaller one.
 *
 * It never changes. A share that is computed otherwise would give up the gate for keys that have it.
 *
 * @param share 0 to 1
 */
export function isInShare(id: string, share: number): boolean {
  if (share >= 1) return true;
  // FNV-1a, which spreads keys that count up, and needs no crypto; its last steps are those of MurmurHash3, because the share is in the high bits.
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index++) hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32 < share;
}
