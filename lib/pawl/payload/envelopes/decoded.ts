import { expectFunction } from '../../kernel/check.ts';
import { type Content, DecoderError, type Envelope, type MessageAttribute, textIn } from './envelope.ts';
import type { Metadata } from './metadata.ts';

/** What a decoder is given. */
export interface Encoded {
  /** As text. @throws InvalidMessageError when it is bytes that are no UTF-8 */
  readonly text: string;
  /** As bytes: those of an object of S3, or the UTF-8 of a text. */
  readonly bytes: Uint8Array;
  readonly messageAttributes: Readonly<Record<string, MessageAttribute>>;
  readonly metadata: Metadata;
}

/**
 * Decodes a body with a function of your own: Avro, Protobuf, gzip, KMS. If it returns text or bytes, they are opened by the next envelope, or read as
 * JSON. If it returns anything else, that is the body, and no envelope may follow.
 *
 * If it throws, the message comes again, and pawl reports `author-error`. Throw an `InvalidMessageError` if the message can never be decoded.
 *
 * @throws OptionError unless it is given a function
 * @example
 * import { gunzipSync } from 'node:zlib';
 *
 * const envelope = decoded(({ text }) => gunzipSync(Buffer.from(text, 'base64')));
 */
export function decoded(decode: (encoded: Encoded) => unknown): Envelope {
  expectFunction('decoded', 'a function that decodes a body', decode);
  return {
    name: 'decoded()',
    several: false,
    async open({ content, messageAttributes, metadata }) {
      const encoded: Encoded = {
        get text() {
          return textIn(content);
        },
        get bytes() {
          return content.kind === 'bytes' ? content.bytes : new TextEncoder().encode(textIn(content));
        },
        messageAttributes,
        metadata,
      };
      return [{ content: contentOf(await decode(encoded)), messageAttributes, metadata }];
    },
  };
}

/** @throws DecoderError when the decoder returned nothing */
function contentOf(value: unknown): Content {
  if (typeof value === 'string') return { kind: 'text', text: value };
  if (value instanceof Uint8Array) return { kind: 'bytes', bytes: value };
  if (value === undefined || typeof value === 'function') {
    throw new DecoderError(`it returned ${typeof value}`);
  }
  return { kind: 'decoded', value };
}
