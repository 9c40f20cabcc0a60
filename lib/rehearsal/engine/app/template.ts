/** The parts of a CloudFormation template that a rehearsal reads. */
export interface Template {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Parameters?: Readonly<Record<string, TemplateParameter>>;
  readonly Conditions?: Readonly<Record<string, unknown>>;
  readonly Mappings?: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
  readonly Outputs?: Readonly<Record<string, TemplateOutput>>;
  readonly Transform?: unknown;
}

interface TemplateParameter {
  readonly Type?: string;
  readonly Default?: unknown;
}

interface TemplateOutput {
  readonly Value?: unknown;
  readonly Export?: { readonly Name?: unknown };
  readonly Condition?: string;
}

export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly Metadata?: Readonly<Record<string, unknown>>;
  /** The name of the condition under which it exists. */
  readonly Condition?: string;
}

/** What a resource that exists is called, for everything that refers to it. */
export interface Names {
  /** What `Ref` gives. */
  readonly ref: string;
  /** What it is called where its service is called by name. @default what `Ref` gives */
  readonly name?: string;
  /** What `Fn::GetAtt` gives, by attribute name. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Of a type without a stand-in, and without a stub: the name leads nowhere. */
  readonly madeUp?: true;
}

export const rehearsedRegion = 'us-east-1';
/** The account that the SQS stand-in writes into its ARNs; redrive policies find their queue only when they agree. */
export const rehearsedAccount = '000000000000';

/** A value as an object with names, or an empty one. */
export function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}

/** A value as a list, or an empty one. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value in a text of JSON; `undefined` if it is none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A number that a template may give as a text, or not at all. */
export function optionalNumber(value: unknown): number | undefined {
  return value === undefined ? undefined : Number(value);
}

export function optionalText(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value);
}
