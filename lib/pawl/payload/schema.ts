import { InvalidMessageError } from '../kernel/errors.ts';

/**
 * What a schema library offers under the Standard Schema convention (standardschema.dev): for example Zod, Valibot and
 * ArkType.
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
  readonly path?: readonly PathSegment[] | undefined;
}

type PathSegment = PropertyKey | { readonly key: PropertyKey };

/** @throws InvalidMessageError when the value does not match. It names paths and no values, which may be what must not be logged */
export async function validated<Body>(value: unknown, schema: BodySchema<Body>): Promise<Body> {
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return result.value;
  // Paths only: the library's own messages quote the values.
  const paths = result.issues.map(({ path = [] }) => path.map(nameOf).join('.') || 'its root');
  throw new InvalidMessageError('invalid-message', `the body does not match the schema at: ${paths.join(', ')}`);
}

function nameOf(segment: PathSegment): string {
  return String(typeof segment === 'object' ? segment.key : segment);
}
