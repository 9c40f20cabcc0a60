import { canonicalJson, canonicalValue, FingerprintError } from '../core/fingerprint.ts';
import type { HttpRequest } from './event.ts';

/** The text of a request's meaning: its method, its path, its query and its body, as JSON's canonical form if it is JSON. */
export function intentOf(request: HttpRequest<unknown>, ignored: readonly string[]): string {
  const { method, path, query, text } = request;
  return `${canonicalValue([method, path, query])}\n${meaningOf(request.header('content-type'), text, ignored)}`;
}

function meaningOf(type: string | undefined, text: string, ignored: readonly string[]): string {
  // In what is said to be something else, `1.0` and `1` may be different texts.
  if (text === '' || !/^ *[\w.+/-]*\bjson *(;|$)/i.test(type ?? 'json')) return text;
  try {
    return canonicalJson(text, ignored);
  } catch (error) {
    // No JSON after all. It is the handler's part to refuse it.
    if (error instanceof FingerprintError) return text;
    throw error;
  }
}
