import type { TypeRule, TypeRules } from './rule.ts';

/** What becomes of a resource of a type, by the rules of all services. */
export type RuleOf = (type: string) => TypeRule;

export function ruleFrom(services: readonly { readonly types: TypeRules }[]): RuleOf {
  const rules: TypeRules = Object.assign({}, ...services.map(({ types }) => types));
  return (type) => {
    const [vendor, service] = type.split('::');
    const why = `A rehearsal has no stand-in for ${vendor}::${service}.`;
    return rules[type] ?? rules[`${vendor}::${service}::*`] ?? rules[`${vendor}::*`] ?? { kind: 'not-run', why };
  };
}
