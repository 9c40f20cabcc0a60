import { withoutPage } from '../kernel/error-code.ts';
import { errorKind } from '../kernel/error-kind.ts';
import { explainedError } from '../kernel/errors.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { canonicalJson, canonicalValue } from '../payload/fingerprint.ts';
import type { HttpRequest } from './event.ts';

/**
 * The text of a request's meaning: its method, its path, its query and its body, as JSON's canonical form if it is JSON.
 *
 * @throws TypeError when another middleware parsed the body and may have rounded a number of it
 */
export function intentOf(request: HttpRequest<unknown>, ignored: readonly string[]): string {
  const { method, path, query } = request;
  return `${canonicalValue([method, path, query])}\n${meaningOf(request, ignored)}`;
}

function meaningOf({ text, parsedBody, header }: HttpRequest<unknown>, ignored: readonly string[]): string {
  const parsed = parsedBody === undefined ? undefined : meaningOfParsed(parsedBody, ignored);
  // In another format than JSON, `1.0` and `1` may be different texts.
  if (text === '' || !/^ *[\w.+/-]*\bjson *(;|$)/i.test(header('content-type') ?? 'json')) return text;
  if (parsed !== undefined) return parsed;
  try {
    return canonicalJson(text, ignored);
  } catch (error) {
    // No JSON after all. To refuse it is for the handler.
    if (errorKind(error) === 'fingerprint') return text;
    throw error;
  }
}

/** Two amounts that were rounded to one number would pass for one intent, and the second would get the response of the first. */
function meaningOfParsed(body: object, ignored: readonly string[]): string {
  try {
    return canonicalValue(body, ignored);
  } catch (cause) {
    if (errorKind(cause) !== 'fingerprint') throw cause;
    const why = `the body was parsed before pawl saw it, and its intent cannot be told from that: ${withoutPage(recordedError(cause).message)}`;
    const advice = 'Parse it after pawl, keep its text in event.rawBody, or give a fingerprint function';
    throw explainedError(TypeError, `${why}. ${advice}`, 'parsed-body', { cause });
  }
}
