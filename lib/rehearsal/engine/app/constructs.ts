import type { TemplateResource } from './template.ts';

/** Something in a template, and the construct that made it. */
export interface AtConstruct {
  readonly logicalId: string;
  /** The path of the construct in the app: `Billing/Invoices/Function`. */
  readonly construct: string;
}

/** The same, with its stack. */
export interface InStack extends AtConstruct {
  readonly stack: string;
}

/** The path of the construct behind a resource; without the CDK's metadata, its logical id. */
export function constructOf(logicalId: string, { Metadata = {} }: TemplateResource): string {
  const path = Metadata['aws:cdk:path'];
  return typeof path === 'string' ? path.replace(/\/(?:Resource|Default)$/, '') : logicalId;
}

/**
 * Whether a construct is, or is inside, the wanted one. The wanted path may leave out parts at its beginning and at its end:
 * `Invoices` is any construct of that name, and `Invoices/Queue` its queue.
 */
export function isAt(construct: string, wanted: string): boolean {
  return `/${construct}/`.includes(`/${wanted}/`);
}

/**
 * The only one of these at the wanted construct.
 *
 * @param kind what they are, for the message
 * @param where what was looked at, for the message
 * @throws Error if there is none, or more than one; it names what there is
 */
export function onlyAt<Item extends AtConstruct>(
  items: readonly Item[],
  wanted: string,
  kind: string,
  where: 'stack' | 'app' = 'stack',
): Item {
  const found = items.filter(({ construct }) => isAt(construct, wanted));
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  const named = (some: readonly Item[]) => some.map(({ construct }) => construct).join(', ');
  throw new Error(
    first === undefined
      ? `The ${where} has no ${kind} at ${wanted}. It has: ${named(items) || 'none'}.`
      : `The ${where} has more than one ${kind} at ${wanted}: ${named(found)}. Name more of its path.`,
  );
}
