import type { HttpServer } from '../http.ts';
import {
  type EffectRequest,
  type ProviderAnswer,
  type ProviderCall,
  type ProviderFault,
  type ProviderRoutes,
  startProvider,
} from '../provider.ts';
import type { Intents } from './intents.ts';
import type { Journal } from './journal.ts';
import { type HttpProviderOptions, type Provider, type ProviderRequest, requestOf } from './providers.ts';

/** What a provider of a rehearsal really did. */
export interface ServedProvider extends HttpServer {
  /** The environment variable with its address, or the first one. */
  readonly name: string;
  readonly provider: Provider;
  /** How often the effect happened, by intent. */
  readonly counts: ReadonlyMap<string, number>;
  /** Requests with a key that it had seen before. */
  readonly stats: { readonly repeated: number; readonly unattributed: number };
}

export interface ServeOptions {
  readonly intents: Intents;
  readonly journal: Journal;
  /** What happens to the call for an intent; it may stall the sandbox, or kill it. */
  readonly nextFault: (intent: string, provider: string, sandbox: string | undefined) => ProviderFault | undefined;
  readonly kill: (sandbox: string) => void;
  /** A function of the file has thrown. The app gets no response, and its verdict would be about the file. @default nothing */
  readonly onBroken?: (error: BrokenProviderError) => void;
}

/** A provider of the rehearsal file throws an error: what it does then is not what the outside does. */
export class BrokenProviderError extends Error {
  override readonly name = 'BrokenProviderError';
}

/** A provider from the inside of this file. */
interface State {
  readonly name: string;
  readonly options: HttpProviderOptions;
  readonly serve: ServeOptions;
  readonly counts: Map<string, number>;
  /** The response of each key that was honoured. */
  readonly byKey: Map<string, ProviderAnswer>;
  readonly stats: { repeated: number; unattributed: number };
}

/** Starts the providers. One that stands behind several environment variables is one server, and counts all its calls. */
export async function serveProviders(
  providers: Readonly<Record<string, Provider>>,
  serve: ServeOptions,
  stopping: AsyncDisposableStack,
): Promise<{ readonly providers: readonly ServedProvider[]; readonly addresses: Readonly<Record<string, string>> }> {
  const all: ServedProvider[] = [];
  const addresses: Record<string, string> = {};
  for (const [name, provider] of Object.entries(providers)) {
    let served = all.find((one) => one.provider === provider);
    if (served === undefined) {
      served = stopping.adopt(await serveProvider(name, provider, serve), (server) => server.stop());
      all.push(served);
    }
    addresses[name] = served.endpoint;
  }
  return { providers: all, addresses };
}

/** Starts the server of a provider. */
export async function serveProvider(name: string, provider: Provider, serve: ServeOptions): Promise<ServedProvider> {
  const state: State = {
    name,
    options: provider.options,
    serve,
    counts: new Map(),
    byKey: new Map(),
    stats: { repeated: 0, unattributed: 0 },
  };
  /** The fault of a call, once it is chosen: its effect is applied later, and says so in the journal. */
  const chosen = new WeakMap<ProviderCall, ProviderFault>();
  const { routes } = provider;
  const respond = routes === undefined ? routed : routedBy(routes);
  const understand = (call: ProviderCall) => {
    const understood = guarded(state, () => respond(state, call, chosen));
    if (!('apply' in understood)) return understood;
    return { ...understood, apply: () => guarded(state, () => understood.apply()) };
  };
  const server = await startProvider(understand, {
    kill: serve.kill,
    nextFault(_, intent, call) {
      const fault = serve.nextFault(intent, name, call.sandbox);
      if (fault !== undefined) chosen.set(call, fault);
      if (fault?.kind.endsWith('-before')) note(state, call, [intent], 'not-applied', fault);
      return fault;
    },
  });
  return { ...server, name, provider, counts: state.counts, stats: state.stats };
}

/** Runs the author's functions. Without a word, the app would be blamed for what they throw. */
function guarded<Made>({ name, serve }: State, run: () => Made): Made {
  try {
    return run();
  } catch (error) {
    const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    serve.onBroken?.(
      new BrokenProviderError(`The provider ${name} of the rehearsal file throws ${said}`, { cause: error }),
    );
    throw error;
  }
}

function routed(
  state: State,
  call: ProviderCall,
  chosen: WeakMap<ProviderCall, ProviderFault>,
): ProviderAnswer | EffectRequest {
  const request = requestOf(call);
  const intents = intentsOf(state, request);
  const [first] = intents;
  if (first === undefined) {
    if (request.method !== 'GET' && request.method !== 'HEAD') state.stats.unattributed += 1;
    // A look-up asks about an effect: that of the intent that it names.
    const [asked] = state.serve.intents.namedIn(textOf(request));
    return answerOf(state, request, asked === undefined ? 0 : (state.counts.get(asked) ?? 0));
  }
  return {
    effect: state.name,
    subject: first,
    apply() {
      const key = keyOf(state, request);
      const known = key === undefined ? undefined : state.byKey.get(key);
      if (known !== undefined) {
        note(state, call, intents, 'repeated', chosen.get(call));
        state.stats.repeated += 1;
        return known;
      }
      const answer = answerOf(state, request, state.counts.get(first) ?? 0);
      const isApplied = !isRefusal(answer);
      note(state, call, intents, isApplied ? 'applied' : 'not-applied', chosen.get(call));
      if (!isApplied) return answer;
      for (const intent of intents) state.counts.set(intent, (state.counts.get(intent) ?? 0) + 1);
      if (key !== undefined) state.byKey.set(key, answer);
      return answer;
    },
  };
}

/** By the rules of the provider itself. */
function routedBy(routes: ProviderRoutes): typeof routed {
  return (state, call, chosen) => {
    const understood = routes(call);
    if (!('apply' in understood)) return understood;
    const { subject } = understood;
    return {
      ...understood,
      apply() {
        const answer = understood.apply();
        const result = answer.isRepeat ? 'repeated' : isRefusal(answer) ? 'not-applied' : 'applied';
        note(state, call, [subject], result, chosen.get(call));
        if (result === 'repeated') state.stats.repeated += 1;
        if (result === 'applied') state.counts.set(subject, (state.counts.get(subject) ?? 0) + 1);
        return answer;
      },
    };
  };
}

/** What a provider refuses has no effect, and its key is not used up. */
function isRefusal({ status }: ProviderAnswer): boolean {
  return status >= 400;
}

function intentsOf({ options: { intent }, serve: { intents } }: State, request: ProviderRequest): readonly string[] {
  if (intent === undefined) {
    // A look-up names an intent, too.
    if (request.method === 'GET' || request.method === 'HEAD') return [];
    return intents.namedIn(textOf(request));
  }
  const named = intent(request);
  if (named === undefined || named === null) return [];
  return (typeof named === 'string' ? [named] : [...named]).map(String);
}

function textOf({ path, query, text }: ProviderRequest): string {
  return `${decoded(path)} ${JSON.stringify(query)} ${text}`;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Malformed: it names what it names as it is.
    return path;
  }
}

function keyOf({ options: { idempotencyKey } }: State, request: ProviderRequest): string | undefined {
  if (typeof idempotencyKey === 'function') return idempotencyKey(request);
  return idempotencyKey === undefined ? undefined : request.headers[idempotencyKey.toLowerCase()];
}

function answerOf({ options: { respond } }: State, request: ProviderRequest, applied: number): ProviderAnswer {
  const answer = respond?.(request, applied);
  if (answer !== undefined) return { status: answer.status, body: answer.body ?? {} };
  return { status: 200, body: request.method === 'GET' ? {} : { id: crypto.randomUUID() } };
}

function note(
  { name, serve: { journal } }: State,
  { sandbox, method, path }: ProviderCall,
  intents: readonly string[],
  result: 'applied' | 'repeated' | 'not-applied',
  fault: ProviderFault | undefined,
): void {
  journal.add(intents, { kind: 'called', sandbox, provider: name, call: `${method} ${path}`, result, fault });
}
