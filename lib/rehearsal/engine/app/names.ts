import type { Synthesized } from './assembly.ts';
import type { NamedAt, Naming } from './rule.ts';
import { type Names, rehearsedAccount, rehearsedRegion, type TemplateResource } from './template.ts';
import type { RuleOf } from './types.ts';

/** The ARN of something in the one place where a rehearsal is. */
export function arnOf(service: string, rest: string): string {
  return `arn:aws:${service}:${rehearsedRegion}:${rehearsedAccount}:${rest}`;
}

export interface NamesOptions extends Pick<NamedAt, 'text' | 'queueAt'> {
  readonly ruleOf: RuleOf;
  /** Gets the names. */
  readonly names: Map<string, Names>;
  /** Which resource has a name, for all stacks. */
  readonly owners: Map<string, string>;
}

/** Names everything before anything exists, as CloudFormation does: a queue may name a dead-letter queue further down. */
export function nameResources({ template, stackName }: Synthesized, options: NamesOptions): void {
  const { ruleOf, names, owners, ...at } = options;
  /** In another region or account, another resource of the type may have this name. Here they are in one place. */
  const free = (name: string, logicalId: string, type: string) => {
    const [id, owner] = [`${type} ${name}`, `${stackName}/${logicalId}`];
    if ((owners.get(id) ?? owner) !== owner) return name.replace(/(?=\.fifo$)|(?<!\.fifo)$/, `-${stackName}`);
    owners.set(id, owner);
    return name;
  };
  const own = ({ property, make }: Naming, resource: TemplateResource, made: string) =>
    (property && at.text(resource.Properties?.[property])) ?? make?.(made, resource) ?? made;
  for (const [logicalId, resource] of Object.entries(template.Resources ?? {})) {
    const made = `${stackName}-${logicalId}`.replaceAll(/[^\w.-]/g, '-');
    const { Type, Properties: properties = {} } = resource;
    const rule = ruleOf(Type);
    if (rule.kind === 'run' && rule.naming !== undefined) {
      const name = own(rule.naming, resource, made);
      const its = rule.naming.isUnique ? free(name, logicalId, Type) : name;
      names.set(logicalId, rule.naming.names(its, { ...at, properties }));
      continue;
    }
    const attributes = { Arn: arnOf(Type.split('::')[1]?.toLowerCase() ?? 'custom', made) };
    const isNamed = rule.kind === 'run' || (rule.kind === 'without-effect' && rule.named === true);
    names.set(logicalId, { ref: made, attributes, ...(isNamed ? {} : { madeUp: true as const }) });
  }
}

/** What a resource is called where its service is called by name. */
export function physicalName(names: ReadonlyMap<string, Names>, logicalId: string): string {
  const known = names.get(logicalId);
  return known?.name ?? known?.ref ?? logicalId;
}
