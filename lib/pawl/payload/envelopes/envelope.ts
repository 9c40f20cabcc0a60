import { explained } from '../../kernel/error-code.ts';
import { InvalidMessageError } from '../../kernel/errors.ts';
import type { Host } from '../../kernel/host.ts';
import { type Payload, payloadOf } from '../payload.ts';
import type { Metadata } from './metadata.ts';

/**
 * What another service puts around a message. Owns: what an envelope is, and how several are opened one inside the other. Each kind of envelope is a
 * file of this folder. Does not own: what becomes of a message whose envelope cannot be opened (the doors).
 *
 * 1. An envelope that is not the expected one is a fact about the message: `InvalidMessageError`.
 * 2. A service that does not answer is none: `PayloadUnavailableError`. What any other code throws is a bug of its author's.
 * 3. No error quotes what a message holds.
 */
export interface Envelope {
  /** The function that made it, as its caller writes it. */
  readonly name: string;
  /** Whether one message may hold several bodies. */
  readonly several: boolean;
  /** Opens it. @throws InvalidMessageError, PayloadUnavailableError */
  open(sealed: Opened, opening: Opening): readonly Opened[] | Promise<readonly Opened[]>;
}

/** One envelope, or several from the outermost to the innermost. */
export type EnvelopeOption = Envelope | readonly Envelope[];

/** What is in an envelope: what a door received, or what an envelope around it held. */
export interface Opened {
  readonly content: Content;
  readonly messageAttributes: Readonly<Record<string, MessageAttribute>>;
  readonly metadata: Metadata;
}

export type Content =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** What a decoder made of it. There is no way further in. */
  | { readonly kind: 'decoded'; readonly value: unknown };

/** An attribute of a message, of SQS or of SNS. */
export interface MessageAttribute {
  readonly dataType: string;
  readonly stringValue?: string | undefined;
  /** Base64. */
  readonly binaryValue?: string | undefined;
}

/** How long opening may take. */
export interface Opening {
  readonly host: Pick<Host, 'now' | 'after'>;
  /** Epoch milliseconds. */
  readonly until: number;
}

/** A part of a message is kept elsewhere, and could not be read from there. It says nothing about the message. */
export class PayloadUnavailableError extends Error {
  override readonly name = 'PayloadUnavailableError';
  /** @internal */
  readonly 'pawl.error' = 'payload-unavailable';
}

/** A decoder of the author's returned what it must not. The text is pawl's own, and quotes nothing of the message. */
export class DecoderError extends TypeError {
  override readonly name = 'TypeError';
  /** @internal */
  readonly 'pawl.error' = 'wrong-return';
  constructor(problem: string) {
    super(explained(`decoded: expected a function that returns a body; ${problem}`, 'author-error'));
  }
}

/** The envelopes of an option, from the outermost to the innermost; nothing where there is no option. */
export function envelopesOf(option: EnvelopeOption | undefined): readonly Envelope[] | undefined {
  if (option === undefined) return undefined;
  return isList(option) ? option : [option];
}

function isList(option: EnvelopeOption): option is readonly Envelope[] {
  return Array.isArray(option);
}

/** Opens envelopes one inside the other. @returns what is in the innermost: several, if one of them holds several */
export async function openAll(
  envelopes: readonly Envelope[],
  sealed: Opened,
  opening: Opening,
): Promise<readonly Opened[]> {
  let layer: readonly Opened[] = [sealed];
  for (const envelope of envelopes) {
    layer = (await Promise.all(layer.map((one) => envelope.open(one, opening)))).flat();
  }
  return layer;
}

/** What is read and compared of a content. @throws InvalidMessageError when it is no JSON */
export function payloadIn({ content }: Pick<Opened, 'content'>): Payload {
  return content.kind === 'decoded' ? content : payloadOf(textIn(content));
}

/** A content as text. @throws InvalidMessageError when it is bytes that are no UTF-8 */
export function textIn(content: Content): string {
  if (content.kind === 'text') return content.text;
  if (content.kind === 'decoded') {
    throw new DecoderError(
      'it returned a value, which no envelope inside it can open: return text or bytes, or put decoded() last',
    );
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content.bytes);
  } catch {
    throw new InvalidMessageError('invalid-message', 'the body is not text: its bytes are no UTF-8');
  }
}

/**
 * A content as a JSON document.
 *
 * @param expected what it ought to be: `an SNS notification`
 * @throws InvalidMessageError when it is no JSON
 */
export function documentIn(content: Content, expected: string): { readonly text: string; readonly json: unknown } {
  const text = textIn(content);
  try {
    return payloadOf(text);
  } catch {
    throw unexpected(expected, 'text that is not JSON');
  }
}

/** @param found what it is instead, without anything that the message holds */
export function unexpected(expected: string, found: string): InvalidMessageError {
  return new InvalidMessageError('invalid-message', `expected ${expected}; got ${found}`);
}
