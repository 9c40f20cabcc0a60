import { letFail } from '../kernel/unknown.ts';

/**
 * In a function's own initialisation, for which Lambda gives it a whole CPU, does all of a request but sending it: it is given up before that. So credentials,
 * the endpoint and the code of a client are there when the first message comes. Nothing waits for it, and it may fail: then the first request says why.
 *
 * Not under SnapStart, which gives a function no keys in its environment: what was resolved would be in its snapshot.
 */
export function atInitialisation(request: (givenUp: AbortSignal) => Promise<unknown>): void {
  const { AWS_LAMBDA_FUNCTION_NAME: name, AWS_ACCESS_KEY_ID: key } = process.env;
  if (name && key) letFail(request(AbortSignal.abort()));
}
