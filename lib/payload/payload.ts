import { InvalidMessageError } from '../kernel/errors.ts';
import { canonicalDocument } from './fingerprint.ts';

/**
 * What a message says: the text that was sent, and the JSON in it. Key, schema and fingerprint see this, and nothing around it.
 *
 * Owns: the way from the text that a door receives to what is read and compared. An envelope of another service (a notification of SNS, an event of
 * EventBridge) is opened here, so that all doors open it alike. Does not own: where a door finds the text (`record.body`; base64 and `rawBody` of HTTP).
 */
export interface Payload {
  /** As it was sent. */
  readonly text: string;
  /** What `JSON.parse` makes of the text. */
  readonly json: unknown;
}

/** @throws InvalidMessageError when the text is not JSON. It quotes nothing of the text, which may hold what must not be logged */
export function payloadOf(text: string): Payload {
  try {
    return { text, json: JSON.parse(text) };
  } catch {
    // The parser's own message quotes the text.
    throw new InvalidMessageError('invalid-message', 'the body is not JSON');
  }
}

/**
 * The canonical text of a whole payload: its intent, where no rule says otherwise.
 *
 * @param ignored paths that are left out, as for `canonicalJson`
 * @throws InvalidMessageError when it is nested too deeply to have one
 */
export function wholeIntent({ text, json }: Payload, ignored: readonly string[]): string {
  try {
    return canonicalDocument(text, json, ignored);
  } catch {
    throw new InvalidMessageError('invalid-message', 'the body is nested too deeply');
  }
}
