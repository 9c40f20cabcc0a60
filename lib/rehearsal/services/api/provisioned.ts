import type { InStack } from '../../engine/app/constructs.ts';
import type { FunctionReference } from '../../engine/provisioned.ts';

/** One route of an API, and the function behind it; without one, what a request gets is a failure. */
export interface ProvisionedRoute {
  /** As API Gateway has it: `POST /invoices/{id}`, `ANY /files/{proxy+}`, or `$default`. */
  readonly key: string;
  readonly target: FunctionReference | undefined;
  readonly timeoutMs: number;
  readonly payload: '1.0' | '2.0';
}

export interface ProvisionedApi extends InStack {
  readonly kind: 'http' | 'rest' | 'function-url';
  readonly name: string;
  /** What the template calls its address: it is replaced by the address of its server. */
  readonly host: string;
  readonly routes: readonly ProvisionedRoute[];
  /** The stages that may come first in a path. */
  readonly stages: readonly string[];
  /** The media types that a REST API hands over in base64. */
  readonly binary: readonly string[];
}
