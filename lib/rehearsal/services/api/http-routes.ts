/** A route that takes a request, and what its path says. */
export interface Match<Route> {
  readonly route: Route;
  readonly parameters: Readonly<Record<string, string>>;
}

/** A route key, taken apart. */
interface Pattern<Route> {
  readonly route: Route;
  /** `ANY` takes every method. */
  readonly method: string;
  /** `undefined` takes every path. */
  readonly segments: readonly string[] | undefined;
}

/**
 * Chooses among routes as API Gateway does: a path without variables before one with variables, that before a greedy one
 * (`{proxy+}`), and `$default` last; of two alike, the one that names the method.
 */
export function createRouter<Route extends { readonly key: string }>(routes: readonly Route[]) {
  const patterns = routes.map(patternOf).toSorted((one, other) => rank(one) - rank(other));
  return (method: string, path: string): Match<Route> | undefined => {
    const segments = path.split('/').slice(1);
    for (const pattern of patterns) {
      if (pattern.method !== 'ANY' && pattern.method !== method) continue;
      const parameters = parametersOf(pattern, segments);
      if (parameters !== undefined) return { route: pattern.route, parameters };
    }
    return undefined;
  };
}

function patternOf<Route extends { readonly key: string }>(route: Route): Pattern<Route> {
  const [method = '', path] = route.key.split(' ');
  if (path === undefined) return { route, method: 'ANY', segments: undefined };
  return { route, method, segments: path.split('/').slice(1) };
}

const isVariable = (segment: string) => segment.startsWith('{') && segment.endsWith('}');
const isGreedy = (segment: string) => segment.endsWith('+}');

/** The smaller, the earlier it is tried. */
function rank({ segments, method }: Pattern<unknown>): number {
  const byMethod = method === 'ANY' ? 0.5 : 0;
  if (segments === undefined) return 1_000;
  if (segments.some(isGreedy)) return 500 - segments.length + byMethod;
  return segments.filter(isVariable).length + byMethod;
}

/** What the variables of a route stand for in this path; `undefined` if the path is not the route's. */
function parametersOf(
  { segments }: Pattern<unknown>,
  path: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (segments === undefined) return {};
  const parameters: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const given = path[index];
    if (given === undefined) return undefined;
    if (isGreedy(segment)) {
      parameters[segment.slice(1, -2)] = decodeURIComponent(path.slice(index).join('/'));
      return parameters;
    }
    if (isVariable(segment)) parameters[segment.slice(1, -1)] = decodeURIComponent(given);
    else if (segment !== given) return undefined;
  }
  return path.length === segments.length ? parameters : undefined;
}
