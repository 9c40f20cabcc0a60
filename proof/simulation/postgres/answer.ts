/** What a statement returns, inside of the server. */
export type Answer =
  | { readonly rows: readonly object[]; readonly command: string }
  | { readonly error: Error & { readonly code?: string } };

/** An error of the server's, as the driver throws it. */
export function serverError(code: string, message: string): Error & { readonly code: string } {
  return Object.assign(new Error(message), { code, severity: 'ERROR' });
}
