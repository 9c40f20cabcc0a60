/** What comes, so many at a time: an act on many claims shares requests, and holds no more than these. */
export async function* inChunks<T>(
  items: Iterable<T> | AsyncIterable<T>,
  most: number,
): AsyncGenerator<readonly T[], void, undefined> {
  let chunk: T[] = [];
  for await (const item of items) {
    chunk.push(item);
    if (chunk.length < most) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
