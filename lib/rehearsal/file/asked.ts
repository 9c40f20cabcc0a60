import type { ProviderAnswer } from '../provider.ts';
import type { Intents } from './intents.ts';
import { type Provider, type ProviderRequest, textAt } from './providers.ts';
import { readSes } from './ses.ts';

/** What a request asks a provider for. */
export interface Asked {
  /** What the effect is for; none, if the request asks for no effect, or names no intent. */
  readonly intents: readonly string[];
  /** Whether it may ask for an effect, as far as can be seen without an intent: a look-up does not. */
  readonly isForEffect: boolean;
  /** The provider has no such thing. */
  readonly refusal?: ProviderAnswer;
  /** @param applied how often the effect has happened */
  answer(applied: number): ProviderAnswer;
  /** What a failure looks like to the caller. @default JSON */
  failure?(status: number): ProviderAnswer;
}

/** Reads what a request asks for. */
export function askedBy(provider: Provider, request: ProviderRequest, intents: Intents): Asked {
  const { mailer } = provider;
  return mailer === undefined ? askedOfHttp(provider, request, intents) : askedOfMailer(mailer.field, request, intents);
}

function askedOfHttp({ options }: Provider, request: ProviderRequest, intents: Intents): Asked {
  return {
    intents: intentsOf(options.intent, request, intents),
    isForEffect: !isLookUp(request),
    answer(applied) {
      const answer = options.respond?.(request, applied);
      if (answer !== undefined) {
        const { status, body = {}, contentType } = answer;
        return { status, body, ...(contentType === undefined ? {} : { contentType }) };
      }
      return { status: 200, body: request.method === 'GET' ? {} : { id: crypto.randomUUID() } };
    },
  };
}

function askedOfMailer(field: string | undefined, request: ProviderRequest, intents: Intents): Asked {
  const ses = readSes(request);
  if (ses === undefined) {
    const isForEffect = request.method === 'POST';
    const body = () => ({ status: 200, body: { MessageId: crypto.randomUUID() } });
    const named = field === undefined ? intents.namedIn(textOf(request)) : listOf(textAt(request.body, field));
    return { intents: isForEffect ? named : [], isForEffect, answer: body };
  }
  const named = field === undefined ? intents.namedIn(ses.text) : listOf(ses.named(field));
  return {
    intents: ses.sends > 0 ? named : [],
    isForEffect: ses.sends > 0,
    ...(ses.sends > 0 ? {} : { refusal: ses.refusal() }),
    answer: ses.sent,
    failure: ses.failure,
  };
}

function intentsOf(
  intent: Provider['options']['intent'],
  request: ProviderRequest,
  intents: Intents,
): readonly string[] {
  // A look-up names an intent, too.
  if (intent === undefined) return isLookUp(request) ? [] : intents.namedIn(textOf(request));
  return listOf(intent(request));
}

function listOf(named: string | readonly string[] | undefined | null): readonly string[] {
  if (named === undefined || named === null) return [];
  return (typeof named === 'string' ? [named] : [...named]).map(String);
}

function isLookUp({ method }: ProviderRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** All that a request says, of a form without its encoding. */
export function textOf({ path, query, body, text }: ProviderRequest): string {
  const isForm = text !== '' && !/^\s*[[{"]/.test(text) && Object.keys(body).length > 0;
  return `${decoded(path)} ${JSON.stringify(query)} ${isForm ? JSON.stringify(body) : text}`;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Malformed: it names what it names as it is.
    return path;
  }
}
