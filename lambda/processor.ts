import { verify } from 'node:crypto';

/** The signed request of a payment processor, in the shape of API Gateway's payload 2.0. */
export interface SignedRequest {
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | null | undefined;
  readonly isBase64Encoded?: boolean;
}

const maxAgeMs = 5 * 60_000;

/** What a processor signs: when it sent the request, and the request. */
export function signedText(sentAt: string, body: string): string {
  return `${sentAt}.${body}`;
}

/**
 * Whether the processor signed this request, and not long ago.
 * @param publicKey Ed25519, in PEM; it is no secret
 */
export function isSigned(request: SignedRequest, publicKey: string, now: number): boolean {
  const { headers = {} } = request;
  const [sentAt = '', signature = ''] = [headers['x-sent-at'], headers['x-signature']];
  // Whatever is no time is not within it.
  if (!(Math.abs(now - Number(sentAt)) <= maxAgeMs)) return false;
  try {
    return verify(
      null,
      Buffer.from(signedText(sentAt, bodyText(request))),
      publicKey,
      Buffer.from(signature, 'base64'),
    );
  } catch {
    return false;
  }
}

/** The body of a request as it was sent. */
export function bodyText({ body, isBase64Encoded }: SignedRequest): string {
  return isBase64Encoded ? Buffer.from(body ?? '', 'base64').toString('utf8') : (body ?? '');
}
