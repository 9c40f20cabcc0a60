/**
 * Waits for all of them, also if one fails. `Promise.all` would give up at the first failure, and what starts a
 * moment later would never be stopped.
 */
export async function allOrNothing<const Parts extends readonly unknown[]>(
  parts: Parts,
): Promise<{ -readonly [Index in keyof Parts]: Awaited<Parts[Index]> }> {
  await Promise.allSettled(parts);
  return Promise.all(parts);
}
