import { pageAt } from '../kernel/error-code.ts';
import { envelopeLike } from '../payload/envelopes/shapes.ts';
import { bodyIn, type Payload } from '../payload/payload.ts';
import type { QueueDoor } from './consumer.ts';

/** The operations whose bodies were seen to look like an envelope. Of the process: a crash sweep makes a consumer for each of its workers. */
const warned = new Set<string>();

/**
 * Says once for each operation that bodies look like an envelope, and that no option opens it: key and fingerprint see what another service makes anew at
 * each send.
 */
export function warnOfEnvelope<Body>({ settings }: QueueDoor<Body>, payload: Payload): void {
  if (warned.has(settings.operation)) return;
  const seen = envelopeLike(bodyIn(payload));
  if (seen === undefined) return;
  warned.add(settings.operation);
  console.warn(
    `pawl: a message for ${settings.operation} looks like ${seen.what}, and the consumer has no envelope. Its key, schema and fingerprint see ` +
      `what that service makes anew each time. Set envelope: ${seen.option}; or envelope: [] if it is meant so. See ${pageAt('docs/guides/envelopes.md')}.`,
  );
}
