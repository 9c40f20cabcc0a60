/** Reads values of a template: they may be texts, or known only at deployment. */

export type Properties = Readonly<Record<string, unknown>>;

/** A number of the template; undefined when it is only known at deployment. CloudFormation takes a number as a text as well. */
export function numberIn(value: unknown, unsaid: number | undefined): number | undefined {
  if (value === undefined) return unsaid;
  const known = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof known === 'number' && Number.isFinite(known) ? known : undefined;
}

/** A truth value of the template; undefined when it is only known at deployment. */
export function truthIn(value: unknown, unsaid: boolean): boolean | undefined {
  if (value === undefined) return unsaid;
  if (typeof value === 'boolean') return value;
  return value === 'true' ? true : value === 'false' ? false : undefined;
}

/** The properties of a part of a resource; none where there is no such part. */
export function partOf(value: unknown): Properties {
  return isPart(value) ? value : {};
}

function isPart(value: unknown): value is Properties {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** CloudFormation puts the value of a secret in place of these. */
const secrets: readonly string[] = ['{{resolve:secretsmanager:', '{{resolve:ssm-secure:'];

/** Whether CloudFormation takes a part of the value from a secret. */
export function holdsSecret(value: unknown): boolean {
  const text = JSON.stringify(value) ?? '';
  return secrets.some((reference) => text.includes(reference));
}
