import { emit } from '../engine/engine.ts';
import { fieldsOf } from '../engine/observe/fields.ts';
import { isObservedNow, type Run, sayUnwatchable, Watch, type Watched } from '../engine/observe/observer.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { type Admission, admissionOf } from './admission.ts';
import { type HttpEvent, requestOf } from './event.ts';
import type { Gate, RequestContext } from './gate.ts';
import { isFinalResponse, unfinished } from './handle.ts';
import { keptOf, responseOf } from './response.ts';

/** A request that is only watched. */
export interface ObservedRequest {
  readonly run: Run;
  /** Its handler has returned this. Resolves when what was seen is written, or need not be waited for any more. Never rejects. */
  readonly responded: (answered: unknown) => Promise<void>;
  /** Its handler has thrown this. As above. */
  readonly threw: (error: unknown) => Promise<void>;
}

/** Watches a request, if its key is only observed: nothing otherwise. Never throws. */
export function observedRequest<Event extends HttpEvent>(
  gate: Gate<Event>,
  event: Event,
  context?: RequestContext,
): ObservedRequest | undefined {
  const { settings, engine } = gate;
  let admitted: ReturnType<typeof admit<Event>> | undefined;
  const admission = () => {
    admitted ??= admit(gate, event);
    return admitted;
  };
  const isObserved = isObservedNow(engine, () => admission().watched?.identity.id);
  if (!isObserved) return undefined;
  const { watched, say } = admission();
  say();
  const deadline = deadlineIn(gate, context);
  const watch = new Watch(engine);
  const run = watch.begin(watched, { delivered: {}, deadline });
  return {
    run,
    responded(answered) {
      try {
        const response = responseOf(event, answered);
        const isFinal = response !== undefined && isFinalResponse(gate, response);
        if (isFinal) run.returned(keptOf(response, settings.maxResultBytes));
        else run.threw(unfinished(response));
      } catch (error) {
        run.threw(error);
      }
      return watch.end(deadline);
    },
    threw(error) {
      run.threw(error);
      return watch.end(deadline);
    },
  };
}

/** What a request is known by, if it is, and how to report what is wrong with it. */
function admit<Event extends HttpEvent>(
  { settings, engine, rule }: Gate<Event>,
  event: Event,
): { readonly watched: Watched | undefined; readonly say: () => void } {
  let intent: string | undefined;
  let admission: Admission;
  try {
    admission = admissionOf(requestOf(event), settings, rule, settings.host, (text) => {
      intent = text;
    });
  } catch (error) {
    return { watched: undefined, say: () => sayUnwatchable(engine, error) };
  }
  if (admission.kind === 'refused') {
    const { reason, error } = admission;
    const say = () => emit(engine, undefined, { type: 'would-refuse', reason, error: recordedError(error) });
    return { watched: undefined, say };
  }
  if (admission.kind === 'without-key') return { watched: undefined, say: () => undefined };
  const { identity, prints, attributes } = admission;
  const fields = intent === undefined ? undefined : fieldsOf(intent, identity.id, settings.host);
  return { watched: { identity, ...prints, attributes, fields }, say: () => undefined };
}

function deadlineIn<Event extends HttpEvent>({ settings: { host } }: Gate<Event>, context?: RequestContext) {
  try {
    const remainingMs: unknown = context?.getRemainingTimeInMillis?.();
    return typeof remainingMs === 'number' && Number.isFinite(remainingMs) ? host.now() + remainingMs : undefined;
  } catch {
    return undefined;
  }
}
