import { bodyField, type MessageKey, messageAttribute, messageId } from 'pawl/internal';

/** Where a consumer's key is, as an operator writes it. */
export const keyForms = 'body:<path>, attribute:<name> or message-id';

/** @returns undefined if it is written in none of these forms */
export function keyAt(where: string): MessageKey<unknown> | undefined {
  if (where === 'message-id') return messageId();
  const [, kind, name = ''] = /^(body|attribute):(.+)$/s.exec(where) ?? [];
  if (kind === undefined) return undefined;
  return kind === 'body' ? bodyField(name) : messageAttribute(name);
}
