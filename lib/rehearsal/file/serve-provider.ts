import { record } from '../engine/app/template.ts';
import type { HttpServer } from '../engine/http.ts';
import {
  type EffectRequest,
  type ProviderAnswer,
  type ProviderCall,
  type ProviderFault,
  type ProviderRoutes,
  startProvider,
} from '../provider.ts';
import { askedBy, textOf } from './asked.ts';
import type { Intents } from './intents.ts';
import type { Journal } from './journal.ts';
import { type Provider, type ProviderRequest, requestOf } from './providers.ts';

/** What a provider of a rehearsal really did. */
export interface ServedProvider extends HttpServer {
  /** The environment variable with its address, or the first one. */
  readonly name: string;
  readonly provider: Provider;
  /** How often the effect happened, by intent. */
  readonly counts: ReadonlyMap<string, number>;
  /** Requests with a key that it had seen before. */
  readonly stats: {
    readonly repeated: number;
    readonly unattributed: number;
    /** All requests, look-ups too. */
    readonly calls: number;
  };
}

export interface ServeOptions {
  readonly intents: Intents;
  readonly journal: Journal;
  /** What happens to the call for an intent; it may stall the sandbox, or kill it. */
  readonly nextFault: (intent: string, provider: string, sandbox: string | undefined) => ProviderFault | undefined;
  readonly kill: (sandbox: string) => void;
  /** The intents that a sandbox is working on. @default not known */
  readonly workOf?: (sandbox: string) => readonly string[];
  /** Called for each call, also for one that asks for no effect. @default nothing */
  readonly onCall?: (sandbox: string | undefined) => void;
  /** Called for each call that asks for no effect, such as a look-up. @default nothing */
  readonly onLook?: (sandbox: string | undefined) => void;
  /** A function of the file has thrown. The app gets no response, and its verdict would be about the file. @default nothing */
  readonly onBroken?: (error: BrokenProviderError) => void;
}

/** A provider of the rehearsal file throws an error: what it does then is not what the outside does. */
class BrokenProviderError extends Error {
  override readonly name = 'BrokenProviderError';
}

/** A provider from the inside of this file. */
interface ProviderState {
  readonly name: string;
  readonly provider: Provider;
  readonly serve: ServeOptions;
  readonly counts: Map<string, number>;
  /** The response of each key that was honoured. */
  readonly byKey: Map<string, ProviderAnswer>;
  readonly stats: { repeated: number; unattributed: number; calls: number };
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
  const state: ProviderState = {
    name,
    provider,
    serve,
    counts: new Map(),
    byKey: new Map(),
    stats: { repeated: 0, unattributed: 0, calls: 0 },
  };
  /** The fault of a call, once it is chosen: its effect is applied later, and says so in the journal. */
  const chosen = new WeakMap<ProviderCall, ProviderFault>();
  const { routes } = provider;
  const respond = routes === undefined ? routed : routedBy(routes);
  const understand = (call: ProviderCall) => {
    state.stats.calls += 1;
    serve.onCall?.(call.sandbox);
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
function guarded<Made>({ name, serve }: ProviderState, run: () => Made): Made {
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
  state: ProviderState,
  call: ProviderCall,
  chosen: WeakMap<ProviderCall, ProviderFault>,
): ProviderAnswer | EffectRequest {
  const request = requestOf(call);
  const { intents, isForEffect, refusal, answer, failure } = askedBy(state.provider, request, state.serve.intents);
  const [first] = intents;
  if (refusal !== undefined) return refusal;
  if (first === undefined) {
    if (isForEffect) noteUnnamed(state, call, request);
    else state.serve.onLook?.(call.sandbox);
    // A look-up asks about an effect: that of the intent that it names.
    const [about] = state.serve.intents.namedIn(textOf(request));
    return answer(about === undefined ? 0 : (state.counts.get(about) ?? 0));
  }
  return {
    effect: state.name,
    subject: first,
    ...(failure === undefined ? {} : { failure }),
    apply() {
      const key = keyOf(state, request);
      const known = key === undefined ? undefined : state.byKey.get(key);
      if (known !== undefined) {
        note(state, call, intents, 'repeated', chosen.get(call));
        state.stats.repeated += 1;
        return known;
      }
      const made = answer(state.counts.get(first) ?? 0);
      const isApplied = !isRefusal(made);
      note(state, call, intents, isApplied ? 'applied' : 'not-applied', chosen.get(call));
      if (!isApplied) return made;
      for (const intent of intents) state.counts.set(intent, (state.counts.get(intent) ?? 0) + 1);
      if (key !== undefined) state.byKey.set(key, made);
      return made;
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

function keyOf(
  {
    provider: {
      options: { idempotencyKey },
    },
  }: ProviderState,
  request: ProviderRequest,
): string | undefined {
  if (typeof idempotencyKey === 'function') return idempotencyKey(request);
  return idempotencyKey === undefined ? undefined : request.headers[idempotencyKey.toLowerCase()];
}

/** A call that may ask for an effect, and names no intent: what it does cannot be counted. */
function noteUnnamed(
  { name, stats, serve: { journal, workOf } }: ProviderState,
  { sandbox, method, path }: ProviderCall,
  request: ProviderRequest,
): void {
  stats.unattributed += 1;
  const intents = sandbox === undefined ? [] : (workOf?.(sandbox) ?? []);
  const fields = Object.keys(record(request.body));
  journal.add(intents, { kind: 'unnamed', sandbox, provider: name, call: `${method} ${path}`, fields });
}

function note(
  { name, serve: { journal } }: ProviderState,
  { sandbox, method, path }: ProviderCall,
  intents: readonly string[],
  result: 'applied' | 'repeated' | 'not-applied',
  fault: ProviderFault | undefined,
): void {
  journal.add(intents, { kind: 'called', sandbox, provider: name, call: `${method} ${path}`, result, fault });
}
