import { pageAt } from '../../kernel/error-code.ts';
import { propertyOf } from '../../kernel/unknown.ts';

/**
 * The index of open claims cannot be read yet. Claims are not affected.
 *
 * @example
 * import { operator } from 'pawl/operate';
 *
 * try {
 *   for await (const { claims } of operator({ store }).openClaims()) console.log(claims.length);
 * } catch (error) {
 *   // Otherwise, again in a few minutes.
 *   if (!(error instanceof OpenIndexError) || error.reason !== 'building') throw error;
 * }
 */
export class OpenIndexError extends Error {
  override readonly name = 'OpenIndexError';
  /** `missing`: the table was deployed without it. `building`: DynamoDB is still at it. */
  readonly reason: 'missing' | 'building';
  constructor(reason: 'missing' | 'building', message: string, options: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** What it means that a query of the index of open claims failed: an `OpenIndexError`, or the error itself. */
export function openIndexError(error: unknown, tableName: string): unknown {
  const name = propertyOf(error, 'name');
  const message = String(propertyOf(error, 'message'));
  if (name !== 'ValidationException' && name !== 'ResourceNotFoundException') return error;
  if (message.includes('does not have the specified index')) {
    const text =
      `The table ${tableName} has no index of open claims. Deploy ClaimsTable, or add the index to your table as ` +
      `${pageAt('docs/reference/table.md')} describes it. Consumers do not need it.`;
    return new OpenIndexError('missing', text, { cause: error });
  }
  if (message.includes('backfilling')) {
    const text = `DynamoDB is still building the index of open claims of ${tableName}. Try again in a few minutes.`;
    return new OpenIndexError('building', text, { cause: error });
  }
  return error;
}
