import { type OutboxStatement, understandOutbox } from './outbox-statement.ts';

/**
 * The statements that the simulated database understands: those that the store sends, and those of the application. What is read of them is their text, so
 * that a statement that leaves a condition out is carried out without it. Whatever else is sent fails the run.
 */

/** A write of claims, as its text says it. */
export interface ClaimsWrite {
  /** What of a row is compared with what was seen. */
  readonly compares: ReadonlySet<'claim_id' | 'rev'>;
  /** Whether the rows are locked before they are compared. */
  readonly locksFirst: boolean;
  /** Whether a row in the place of a first write is overwritten. */
  readonly overwrites: boolean;
  /** The columns of the parameters. */
  readonly columns: readonly string[];
}

export type Understood =
  | { readonly kind: 'begin'; readonly idleMs: number }
  | { readonly kind: 'commit' | 'rollback' | 'read' | 'count' | 'check' }
  | { readonly kind: 'write'; readonly write: ClaimsWrite }
  | { readonly kind: 'outbox'; readonly statement: OutboxStatement };

/** The application counts how often a write was applied. */
export const countStatement =
  'INSERT INTO counters (id, times) VALUES ($1, 1) ON CONFLICT (id) DO UPDATE SET times = counters.times + 1';
/** A constraint of the application's refuses it for an account that is closed. */
export const checkStatement = 'INSERT INTO postings (account) VALUES ($1)';

const texts = new Map<string, Understood>();

/** @throws Error for a statement that the simulation does not know */
export function understand(text: string): Understood {
  let known = texts.get(text);
  if (known === undefined) {
    known = parse(text);
    texts.set(text, known);
  }
  return known;
}

const begin = /^BEGIN(?:; SET LOCAL idle_in_transaction_session_timeout = (\d+))?$/;
const read = /^SELECT id, record::text AS record FROM "pawl_claims" WHERE id = ANY\(\$1::text\[\]\)$/;

function parse(text: string): Understood {
  const begins = begin.exec(text);
  if (begins) return { kind: 'begin', idleMs: Number(begins[1] ?? Infinity) };
  if (text === 'COMMIT') return { kind: 'commit' };
  if (text === 'ROLLBACK') return { kind: 'rollback' };
  if (read.test(text)) return { kind: 'read' };
  if (text === countStatement) return { kind: 'count' };
  if (text === checkStatement) return { kind: 'check' };
  if (text.startsWith('WITH given AS') && text.includes('inserted AS')) return { kind: 'write', write: writeIn(text) };
  const statement = understandOutbox(text);
  if (statement) return { kind: 'outbox', statement };
  throw new Error(`the simulated PostgreSQL does not understand: ${text}`);
}

const comparisons = {
  claim_id: 'locked.claim_id IS NOT DISTINCT FROM seen_claim_id',
  rev: 'locked.rev = seen_rev',
} as const;

function writeIn(text: string): ClaimsWrite {
  const where = /JOIN locked USING \(id\)\n {2}WHERE (.+)\n\)/.exec(text)?.[1]?.split(' AND ') ?? [];
  const columns = /AS given \(([^)]+)\)/.exec(text)?.[1]?.split(/,\s*/) ?? [];
  const strange = where.filter((one) => one !== comparisons.claim_id && one !== comparisons.rev && one !== 'true');
  if (strange.length > 0 || columns.length === 0) throw new Error(`a condition that is not understood: ${strange}`);
  return {
    compares: new Set((['claim_id', 'rev'] as const).filter((name) => where.includes(comparisons[name]))),
    locksFirst: text.includes('ORDER BY id FOR UPDATE'),
    overwrites: !text.includes('ON CONFLICT (id) DO NOTHING'),
    columns,
  };
}
