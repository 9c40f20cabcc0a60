import { InvalidMessageError } from '../kernel/errors.ts';
import { canonicalDocument, canonicalValue } from './fingerprint.ts';

/**
 * What a message says: key, schema and fingerprint see this, and nothing around it.
 *
 * Owns: the way from a text to what is read and compared. Does not own: where a door finds the text (`record.body`; base64 and `rawBody` of HTTP), and
 * what is around it (`envelopes/`).
 */
export type Payload = JsonPayload | DecodedPayload;

export interface JsonPayload {
  readonly kind: 'json';
  /** As it was sent. */
  readonly text: string;
  /** What `JSON.parse` makes of the text. */
  readonly json: unknown;
}

/** What a decoder of the author's made of something that is no JSON. */
interface DecodedPayload {
  readonly kind: 'decoded';
  readonly value: unknown;
}

/** @throws InvalidMessageError when the text is not JSON. It quotes nothing of the text, which may hold what must not be logged */
export function payloadOf(text: string): JsonPayload {
  try {
    return { kind: 'json', text, json: JSON.parse(text) };
  } catch {
    // The parser's own message quotes the text.
    throw new InvalidMessageError('invalid-message', 'the body is not JSON');
  }
}

/** The body in a payload, before any schema. */
export function bodyIn(payload: Payload): unknown {
  return payload.kind === 'json' ? payload.json : payload.value;
}

/**
 * The canonical text of a whole payload: its intent, where no rule says otherwise.
 *
 * @param ignored paths that are left out, as for `canonicalJson`
 * @throws InvalidMessageError when it is JSON, and nested too deeply to have one; FingerprintError when it was decoded, and JSON has nothing for a
 *   part of it
 */
export function wholeIntent(payload: Payload, ignored: readonly string[]): string {
  if (payload.kind === 'decoded') return canonicalValue(payload.value, ignored);
  try {
    return canonicalDocument(payload.text, payload.json, ignored);
  } catch {
    throw new InvalidMessageError('invalid-message', 'the body is nested too deeply');
  }
}
