import { explainedError } from '../kernel/errors.ts';

/**
 * Refuses Middy 1 and older. They ignore what `before` returns: Lambda would get `null` for a batch of duplicates in flight, and delete their messages.
 *
 * Their requests are told by `internal`, which Middy has put on each request since version 2. Nothing on a request tells later versions apart, and a
 * bundle has no manifest to read.
 *
 * @param request in `before`, and in `onError` again: there Middy 1 takes a hook that returns for one that has dealt with the error, and answers `null`
 * @throws Error that names the versions that work
 */
export function refuseOldMiddy(door: string, request: object): void {
  if (!isOld(request)) return;
  const said = `${door}: works with Middy 4 and later; this request has no \`internal\`, as those of Middy 1 have none. Nothing was run. Install @middy/core@7`;
  throw explainedError(Error, said, 'old-middy');
}

/**
 * Leaves the error of a request as it is, in `onError` of a middleware that only watches.
 *
 * @throws the error, in Middy 1: there a hook that returns has dealt with it, and the messages of its batch would be deleted
 */
export function leaveError(request: { readonly error?: unknown }): void {
  if (isOld(request)) throw request.error;
}

const isOld = (request: object) => !('internal' in request);
