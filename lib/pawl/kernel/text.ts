/** How long a text is in UTF-8, which is what DynamoDB counts. */
export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
