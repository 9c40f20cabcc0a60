import { InvalidMessageError } from '../kernel/errors.ts';
import { canonicalDocument } from '../payload/fingerprint.ts';
import type { SqsRecord } from './event.ts';

/** One message, as a handler sees it. */
export interface Message<Body> {
  /** The parsed and validated body. */
  readonly body: Body;
  /** SQS's id of this copy: another one after a redrive, or when the producer sends twice. */
  readonly messageId: string;
  /** How many times SQS has delivered this copy, from 1. */
  readonly receiveCount: number;
  /** A copy of the record that Lambda handed over: a handler that changes it must not change what we answer for. */
  readonly record: SqsRecord;
}

/**
 * What a schema library offers under the Standard Schema convention (standardschema.dev): Zod, Valibot, ArkType and
 * others do.
 */
export interface BodySchema<Body> {
  readonly '~standard': {
    readonly validate: (value: unknown) => SchemaResult<Body> | Promise<SchemaResult<Body>>;
  };
}

type SchemaResult<Body> =
  | { readonly value: Body; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

interface SchemaIssue {
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export function messageOf<Body>(record: SqsRecord, body: Body): Message<Body> {
  let copy: SqsRecord | undefined;
  return {
    body,
    messageId: record.messageId,
    receiveCount: receiveCountOf(record),
    get record() {
      copy ??= copyOf(record);
      return copy;
    },
  };
}

export function receiveCountOf(record: SqsRecord): number {
  return Number(record.attributes?.ApproximateReceiveCount) || 1;
}

/** A copy for the author's code. Other middlewares put functions on records, which a structured clone refuses. */
export function copyOf(record: SqsRecord): SqsRecord {
  try {
    return structuredClone(record);
  } catch {
    return { ...record, attributes: { ...record.attributes }, messageAttributes: { ...record.messageAttributes } };
  }
}

/**
 * The canonical text of a body.
 * @throws InvalidMessageError when it is nested too deeply to have one
 */
export function wholeIntent(text: string, parsed: unknown, ignored: readonly string[]): string {
  try {
    return canonicalDocument(text, parsed, ignored);
  } catch {
    throw new InvalidMessageError('invalid-message', 'the body is nested too deeply');
  }
}

/** @throws InvalidMessageError, without a word of the body in it: it may hold what must not be logged */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the text.
    throw new InvalidMessageError('invalid-message', 'the body is not JSON');
  }
}

/** @throws InvalidMessageError when the body does not match; as for `parseJson`, without a word of it */
export async function validated<Body>(value: unknown, schema: BodySchema<Body>): Promise<Body> {
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return result.value;
  // Paths only: the library's own messages quote the values.
  const paths = result.issues.map(
    ({ path = [] }) => path.map((part) => String(Object(part).key ?? part)).join('.') || 'its root',
  );
  throw new InvalidMessageError('invalid-message', `the body does not match the schema at: ${paths.join(', ')}`);
}
