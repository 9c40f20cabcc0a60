import { NothingRunError } from '../kernel/errors.ts';
import { type RecordedError, recordedError } from '../kernel/recorded-error.ts';
import type { ClaimRecord } from '../rules/record.ts';
import type { Acquired } from './acquire.ts';
import type { OnceOutcome } from './once-result.ts';
import type { RunResult } from './run-result.ts';

/** How long a provider that cannot say yet is left alone, in milliseconds. */
const askAgainMs = 1000;

/** What came of a call: it was not granted its claim, or the handler was run. */
export type Called<R> = Extract<Acquired, { readonly grant?: undefined }> | RunResult<R>;

/** @throws what the handler threw; LeaseError when nothing was started; StoreUnavailableError when no claim could be had */
export function outcomeOf<R>(called: Called<R>): OnceOutcome<R> {
  switch (called.kind) {
    case 'unavailable': {
      const { cause } = called;
      // Without the key: such a message ends in logs, and keys can be personal.
      throw new NothingRunError(`nothing was run: the claims store failed: ${recordedError(cause).message}`, { cause });
    }
    case 'in-flight':
      return { outcome: 'in-flight', retryAfterMs: called.retryAfterMs };
    case 'suspect':
      return { outcome: 'in-flight', retryAfterMs: 0 };
    case 'parked':
      return { outcome: 'parked', error: errorOf(called.record) };
    case 'key-reused':
      return { outcome: 'key-reused' };
    case 'replayed': {
      const { record } = called;
      if (record.status === 'rejected') return { outcome: 'rejected', error: errorOf(record) };
      // Parsed anew for each caller: a shared object that one of them changes would be another answer for the next.
      const result = record.result === undefined ? undefined : (JSON.parse(record.result) as R);
      return { outcome: 'completed', replayed: true, result, recorded: record.resultOmitted === undefined };
    }
    case 'returned':
      return { outcome: 'completed', replayed: false, result: called.value };
    case 'reconciled':
      return { outcome: 'completed', replayed: true, result: called.value, recorded: called.value !== undefined };
    case 'in-doubt':
      if (called.recorded === 'parked') return { outcome: 'parked', error: called.error };
      // A provider that cannot say yet is not asked again at once: it would be asked once too often within milliseconds.
      return { outcome: 'in-doubt', retryAfterMs: called.retryAfterMs === 0 ? askAgainMs : called.retryAfterMs };
    case 'threw':
    case 'not-started':
      throw called.error;
  }
}

function errorOf({ error = { name: 'Error', message: '' } }: ClaimRecord): RecordedError {
  return error;
}
